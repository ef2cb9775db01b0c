package main

// `plan-oracle -run`: the scheduler's own queue and cycles, each group and each Pod tried once; what the events say, who
// is bound where, who is preempted. Pods are created in the order given: by priority, creationTimestamp and input order.

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

type runPod struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Node      string `json:"node,omitempty"`
	Message   string `json:"message,omitempty"`
}

type runAnswer struct {
	Pods    []runPod `json:"pods"`
	Victims []string `json:"victims"`
	// What claims hold at the end, for notes: more Pods may be bound by then.
	Claims map[string][]string `json:"claims"`
}

// seen collects what the scheduler does, from several goroutines.
type seen struct {
	sync.Mutex
	message, node map[string]string
	victims       map[string]bool
	promised      int // how many victims the texts speak of
}

// count reads how many victims a text speaks of.
func (s *seen) count(text string) {
	n := 0
	if i := strings.Index(text, "preempting "); i >= 0 {
		_, _ = fmt.Sscanf(text[i:], "preempting %d victims", &n)
	}
	s.promised = max(s.promised, n)
}

func (s *seen) note(pod *v1.Pod, text string) {
	s.Lock()
	defer s.Unlock()
	s.count(text)
	key := pod.Namespace + "/" + pod.Name
	if _, ok := s.message[key]; !ok {
		s.message[key] = note(text)
	}
}

// client is a fake API server that binds and deletes Pods.
func client(objs []runtime.Object, s *seen) *fake.Clientset {
	cs := fake.NewSimpleClientset(objs...)
	cs.PrependReactor("create", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
		if a.GetSubresource() != "binding" {
			return false, nil, nil
		}
		b := a.(clienttesting.CreateAction).GetObject().(*v1.Binding)
		s.Lock()
		s.node[b.Namespace+"/"+b.Name] = b.Target.Name
		s.Unlock()
		obj, err := cs.Tracker().Get(v1.SchemeGroupVersion.WithResource("pods"), b.Namespace, b.Name)
		if err != nil {
			return true, nil, err
		}
		p := obj.(*v1.Pod).DeepCopy()
		p.Spec.NodeName = b.Target.Name
		return true, b, cs.Tracker().Update(v1.SchemeGroupVersion.WithResource("pods"), p, b.Namespace)
	})
	cs.PrependReactor("delete", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
		s.Lock()
		defer s.Unlock()
		s.victims[a.GetNamespace()+"/"+a.(clienttesting.DeleteAction).GetName()] = true
		return true, nil, nil // they stay until the attempt is over
	})
	cs.PrependReactor("patch", "podgroups", func(a clienttesting.Action) (bool, runtime.Object, error) {
		s.Lock()
		defer s.Unlock()
		s.count(string(a.(clienttesting.PatchAction).GetPatch()))
		return false, nil, nil
	})
	return cs
}

func isPending(p *v1.Pod) bool {
	return p.Spec.NodeName == "" && p.DeletionTimestamp == nil && p.Spec.SchedulerName == v1.DefaultSchedulerName
}

func inOrder(pods []*v1.Pod) []*v1.Pod {
	pods = append([]*v1.Pod{}, pods...)
	sort.SliceStable(pods, func(i, j int) bool {
		a, b := corev1helpers.PodPriority(pods[i]), corev1helpers.PodPriority(pods[j])
		if a != b {
			return a > b
		}
		return pods[i].CreationTimestamp.Before(&pods[j].CreationTimestamp)
	})
	return pods
}

func waitFor(what func() bool) {
	for i := 0; i < 400 && !what(); i++ {
		time.Sleep(time.Millisecond)
	}
}

func queued(s *scheduler.Scheduler) int {
	pods, _ := s.SchedulingQueue.PendingPods()
	return len(pods) + len(s.SchedulingQueue.IncompletePodGroupPodsPods())
}

func (s *seen) settled() bool {
	s.Lock()
	defer s.Unlock()
	return len(s.victims) >= s.promised
}

// entities is how many Pods and groups without a parent there are to try.
func entities(objs []runtime.Object, pending []*v1.Pod) int {
	parent := map[string]string{}
	for _, o := range objs {
		switch g := o.(type) {
		case *schedulingv1beta1.PodGroup:
			if p := g.Spec.ParentCompositePodGroupName; p != nil {
				parent[g.Namespace+"/"+g.Name] = "c" + g.Namespace + "/" + *p
			}
		case *schedulingv1alpha3.CompositePodGroup:
			if p := g.Spec.ParentCompositePodGroupName; p != nil {
				parent["c"+g.Namespace+"/"+g.Name] = "c" + g.Namespace + "/" + *p
			}
		}
	}
	roots := map[string]bool{}
	for _, p := range pending {
		key := string(p.UID)
		if g := p.Spec.SchedulingGroup; g != nil {
			key = p.Namespace + "/" + *g.PodGroupName
		}
		for parent[key] != "" {
			key = parent[key]
		}
		roots[key] = true
	}
	return len(roots)
}

func run(objs []runtime.Object) (out runAnswer, err error) {
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), logr.Discard()))
	defer cancel()
	got := &seen{message: map[string]string{}, node: map[string]string{}, victims: map[string]bool{}}
	var rest []runtime.Object
	var pending []*v1.Pod
	nodes := 0
	for _, o := range objs {
		p, ok := o.(*v1.Pod)
		if ok && isPending(p) {
			pending = append(pending, p)
			continue
		}
		if _, ok := o.(*v1.Node); ok {
			nodes++
		}
		rest = append(rest, o)
	}
	cs := client(rest, got)
	inf := scheduler.NewInformerFactory(cs, 0, nil)
	s, err := scheduler.New(ctx, cs, inf, nil, func(string) events.EventRecorderLogger { return &quiet{} })
	if err != nil {
		return out, err
	}
	failed := s.FailureHandler
	s.FailureHandler = func(ctx context.Context, f framework.Framework, p *framework.QueuedPodInfo, st *fwk.Status, n *fwk.NominatingInfo, t time.Time) {
		got.note(p.Pod, st.Message())
		failed(ctx, f, p, st, n, t)
	}
	inf.Start(ctx.Done())
	inf.WaitForCacheSync(ctx.Done())
	if err := s.WaitForHandlersSync(ctx); err != nil {
		return out, err
	}
	waitFor(func() bool { return s.Cache.NodeCount() >= nodes })
	for i, p := range inOrder(pending) {
		if _, err := cs.CoreV1().Pods(p.Namespace).Create(ctx, p, metav1.CreateOptions{}); err != nil {
			return out, err
		}
		waitFor(func() bool { return queued(s) > i })
	}
	time.Sleep(2 * time.Millisecond) // the last member's event lets the others in
	for tries := entities(rest, pending); len(s.SchedulingQueue.PodsInActiveQ()) > 0 && tries > 0; tries-- {
		s.ScheduleOne(ctx)
		waitFor(func() bool { return len(s.SchedulingQueue.InFlightPods()) == 0 })
	}
	waitFor(got.settled)
	got.Lock()
	defer got.Unlock()
	out.Pods, out.Victims = []runPod{}, []string{}
	for _, p := range pending {
		key := p.Namespace + "/" + p.Name
		one := runPod{Namespace: p.Namespace, Name: p.Name, Node: got.node[key]}
		if one.Node == "" {
			one.Message = got.message[key]
		}
		out.Pods = append(out.Pods, one)
	}
	for v := range got.victims {
		out.Victims = append(out.Victims, v)
	}
	sort.Strings(out.Victims)
	out.Claims = map[string][]string{}
	claims, err := cs.ResourceV1().ResourceClaims("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return out, err
	}
	for _, c := range claims.Items {
		if c.Status.Allocation == nil {
			continue
		}
		for _, r := range c.Status.Allocation.Devices.Results {
			out.Claims[c.Name] = append(out.Claims[c.Name], r.Pool+"/"+r.Device)
		}
	}
	return out, nil
}
