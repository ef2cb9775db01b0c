// plan-oracle: asks Kubernetes' own scheduler framework which nodes are feasible for each pending Pod, and why not.
// JSON lines in, JSON lines out; the contract is "dray debug plan" in docs/debug.md.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/component-base/featuregate"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	"k8s.io/kubernetes/pkg/scheduler"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

type input struct {
	ID      json.RawMessage   `json:"id"`
	Version string            `json:"version,omitempty"`
	Gates   map[string]bool   `json:"gates,omitempty"`
	Scores  bool              `json:"scores,omitempty"`
	Message bool              `json:"messages,omitempty"`
	Objects []json.RawMessage `json:"objects"`
}

type podAnswer struct {
	Namespace string              `json:"namespace"`
	Name      string              `json:"name"`
	Gated     string              `json:"gated,omitempty"`
	Error     string              `json:"error,omitempty"`
	PreFilter string              `json:"preFilter,omitempty"`
	Feasible  []string            `json:"feasible"`
	Why       map[string][]string `json:"unschedulableReasons"`
	Final     []string            `json:"unresolvable"`
	Best      []string            `json:"best,omitempty"`
	Scores    map[string]int64    `json:"scores,omitempty"`
	Weighted  map[string]any      `json:"weighted,omitempty"` // for notes only
	Message   string              `json:"message,omitempty"`
}

type answer struct {
	ID      json.RawMessage `json:"id"`
	Pods    []podAnswer     `json:"pods"`
	Invalid []string        `json:"invalid,omitempty"`
	Error   string          `json:"error,omitempty"`
	Run     *runAnswer      `json:"run,omitempty"`
}

type quiet struct{ events.FakeRecorder }

func (q *quiet) WithLogger(klog.Logger) events.EventRecorderLogger       { return q }
func (q *quiet) Eventf(_, _ runtime.Object, _, _, _, _ string, _ ...any) {}

func load(in *input) (objs []runtime.Object, err error) {
	for i, raw := range in.Objects {
		obj, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode(raw, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("object %d: %w", i, err)
		}
		legacyscheme.Scheme.Default(obj)
		m, err := meta.Accessor(obj)
		if err != nil {
			return nil, err
		}
		if m.GetUID() == "" {
			m.SetUID(types.UID(fmt.Sprintf("uid-%T-%s-%s", obj, m.GetNamespace(), m.GetName())))
		}
		m.SetResourceVersion("1")
		if p, ok := obj.(*v1.Pod); ok && (p.Status.Phase == v1.PodSucceeded || p.Status.Phase == v1.PodFailed) {
			continue // the scheduler's informer does not see them
		}
		objs = append(objs, obj)
	}
	return objs, nil
}

type world struct {
	ctx    context.Context
	cancel context.CancelFunc
	sched  *scheduler.Scheduler
	fw     framework.Framework
	snap   *internalcache.Snapshot
}

func build(objs []runtime.Object) (*world, error) {
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
	w := &world{ctx: ctx, cancel: cancel}
	cs := fake.NewSimpleClientset(objs...)
	inf := scheduler.NewInformerFactory(cs, 0, nil)
	s, err := scheduler.New(ctx, cs, inf, nil, func(string) events.EventRecorderLogger { return &quiet{} })
	if err != nil {
		cancel()
		return nil, err
	}
	inf.Start(ctx.Done())
	inf.WaitForCacheSync(ctx.Done())
	if err := s.WaitForHandlersSync(ctx); err != nil {
		cancel()
		return nil, err
	}
	w.sched, w.fw = s, s.Profiles[v1.DefaultSchedulerName]
	w.snap = w.fw.SnapshotSharedLister().(*internalcache.Snapshot)
	nodes := 0
	for _, o := range objs {
		if _, ok := o.(*v1.Node); ok {
			nodes++
		}
	}
	for i := 0; s.Cache.NodeCount() < nodes; i++ {
		if i > 1000 {
			cancel()
			return nil, fmt.Errorf("cache did not fill")
		}
		time.Sleep(time.Millisecond)
	}
	if err := s.Cache.UpdateSnapshot(logr.Discard(), w.snap); err != nil {
		cancel()
		return nil, err
	}
	return w, nil
}

// note shortens a text as the scheduler does for an event's note.
func note(s string) string {
	const limit, suffix = 1024, " ..."
	if len(s) <= limit {
		return s
	}
	return s[:limit-len(suffix)] + suffix
}

func one(w *world, pod *v1.Pod, scores bool) (a podAnswer, dirty bool) {
	a = podAnswer{Namespace: pod.Namespace, Name: pod.Name, Feasible: []string{}, Final: []string{}, Why: map[string][]string{}}
	ctx := w.ctx
	for _, p := range w.fw.PreEnqueuePlugins() {
		if s := p.PreEnqueue(ctx, pod); !s.IsSuccess() {
			a.Gated = s.Message()
			return
		}
	}
	all, err := w.snap.ListNodesInPlacement()
	if err != nil {
		a.Error = err.Error()
		return
	}
	if len(all) == 0 {
		a.Error = scheduler.ErrNoNodesAvailable.Error()
		a.Message = a.Error
		return
	}
	state := framework.NewCycleState()
	diag := framework.Diagnosis{NodeToStatus: framework.NewDefaultNodeToStatus()}
	res, st, plugins := w.fw.RunPreFilterPlugins(ctx, state, pod)
	var feasible []fwk.NodeInfo
	switch {
	case !st.IsSuccess() && !st.IsRejected():
		a.Error = st.AsError().Error()
		return
	case !st.IsSuccess():
		diag.NodeToStatus.SetAbsentNodesStatus(st)
		diag.PreFilterMsg = st.Message()
		a.PreFilter = st.Message()
	default:
		errs := sets.New[string]()
		if !res.AllNodes() {
			diag.NodeToStatus.SetAbsentNodesStatus(fwk.NewStatus(fwk.UnschedulableAndUnresolvable, fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", sets.List(plugins))))
		}
		for _, n := range all {
			name := n.Node().Name
			if !res.AllNodes() && !res.NodeNames.Has(name) {
				s := diag.NodeToStatus.AbsentNodesStatus()
				a.Why[name] = s.Reasons()
				a.Final = append(a.Final, name)
				continue
			}
			s := w.fw.RunFilterPluginsWithNominatedPods(ctx, state, pod, n)
			switch {
			case s.Code() == fwk.Error:
				errs.Insert(s.AsError().Error())
			case s.IsSuccess():
				feasible = append(feasible, n)
				a.Feasible = append(a.Feasible, name)
			default:
				diag.NodeToStatus.Set(name, s)
				r := append([]string{}, s.Reasons()...)
				sort.Strings(r)
				a.Why[name] = r
				if s.Code() == fwk.UnschedulableAndUnresolvable {
					a.Final = append(a.Final, name)
				}
			}
		}
		if len(errs) > 0 {
			a.Feasible, a.Why, a.Final = []string{}, map[string][]string{}, []string{}
			a.Error = strings.Join(sets.List(errs), "\n")
			a.Message = note(a.Error)
			return
		}
	}
	sort.Strings(a.Feasible)
	sort.Strings(a.Final)
	if len(feasible) == 0 {
		_, ps := w.fw.RunPostFilterPlugins(ctx, state, pod, diag.NodeToStatus)
		diag.PostFilterMsg = ps.Message()
		dirty = strings.Contains(diag.PostFilterMsg, "of ResourceClaim completed")
		a.Message = note((&framework.FitError{Pod: pod, NumAllNodes: len(all), Diagnosis: diag}).Error())
		return
	}
	if scores && len(feasible) > 1 {
		if s := w.fw.RunPreScorePlugins(ctx, state, pod, feasible); !s.IsSuccess() {
			a.Error = s.AsError().Error()
			return
		}
		list, s := w.fw.RunScorePlugins(ctx, state, pod, feasible)
		if !s.IsSuccess() {
			a.Error = s.AsError().Error()
			return
		}
		a.Scores, a.Weighted = map[string]int64{}, map[string]any{}
		var top int64 = -1
		for _, n := range list {
			if n.TotalScore > top {
				top, a.Best = n.TotalScore, nil
			}
			if n.TotalScore == top {
				a.Best = append(a.Best, n.Name)
			}
			per := map[string]int64{}
			for _, p := range n.Scores {
				if p.Score != 0 {
					per[p.Name] = p.Score
				}
			}
			a.Scores[n.Name], a.Weighted[n.Name] = n.TotalScore, per
		}
		sort.Strings(a.Best)
	}
	return
}

func solve(in *input, validate bool) (out answer) {
	out = answer{ID: in.ID, Pods: []podAnswer{}}
	defer func() {
		if r := recover(); r != nil {
			out.Error = fmt.Sprint("panic: ", r)
		}
	}()
	gate := utilfeature.DefaultMutableFeatureGate
	if len(in.Gates) > 0 {
		if err := gate.SetFromMap(in.Gates); err != nil {
			out.Error = err.Error()
			return
		}
		defer func() {
			for k := range in.Gates {
				_ = gate.ResetFeatureValueToDefault(featuregate.Feature(k))
			}
		}()
	}
	objs, err := load(in)
	if err != nil {
		out.Error = err.Error()
		return
	}
	if validate {
		out.Invalid = check(objs)
	}
	if *whole {
		r, err := run(objs)
		if err != nil {
			out.Error = err.Error()
		}
		out.Run = &r
		return
	}
	w, err := build(objs)
	if err != nil {
		out.Error = err.Error()
		return
	}
	defer func() { w.cancel() }()
	for _, o := range objs {
		p, ok := o.(*v1.Pod)
		if !ok || p.Spec.NodeName != "" || p.DeletionTimestamp != nil || p.Spec.SchedulerName != v1.DefaultSchedulerName {
			continue
		}
		a, dirty := one(w, p, in.Scores)
		if !in.Message {
			a.Message = ""
		}
		out.Pods = append(out.Pods, a)
		if dirty {
			w.cancel()
			if w, err = build(objs); err != nil {
				out.Error = err.Error()
				return
			}
		}
	}
	return
}

var whole = flag.Bool("run", false, "try each Pod and each group once in the scheduler's own cycles")

func main() {
	validate := flag.Bool("validate", false, "also run API validation and report it as \"invalid\"")
	flag.Parse()
	klog.SetLogger(logr.Discard())
	r := bufio.NewReaderSize(os.Stdin, 1<<20)
	enc := json.NewEncoder(os.Stdout)
	enc.SetEscapeHTML(false)
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > 1 {
			var in input
			if e := json.Unmarshal(line, &in); e != nil {
				_ = enc.Encode(answer{ID: json.RawMessage("null"), Error: e.Error()})
			} else {
				_ = enc.Encode(solve(&in, *validate))
			}
		}
		if err != nil {
			return
		}
	}
}
