/* Probes, lifecycle hooks and stop signals of a container. */
#include "api/validate/pod_int.h"

/* What a probe or a hook does; one of them. */
typedef struct handler {
    const dray_core_exec_action *exec;
    const dray_core_http_get_action *http_get;
    const dray_core_tcp_socket_action *tcp_socket;
    const dray_core_grpc_action *grpc;
    const dray_core_sleep_action *sleep;
} handler;

static const char *const linux_signals[] = {
    "SIGABRT",     "SIGALRM",     "SIGBUS",      "SIGCHLD",     "SIGCLD",      "SIGCONT",
    "SIGFPE",      "SIGHUP",      "SIGILL",      "SIGINT",      "SIGIO",       "SIGIOT",
    "SIGKILL",     "SIGPIPE",     "SIGPOLL",     "SIGPROF",     "SIGPWR",      "SIGQUIT",
    "SIGRTMAX",    "SIGRTMAX-1",  "SIGRTMAX-10", "SIGRTMAX-11", "SIGRTMAX-12", "SIGRTMAX-13",
    "SIGRTMAX-14", "SIGRTMAX-2",  "SIGRTMAX-3",  "SIGRTMAX-4",  "SIGRTMAX-5",  "SIGRTMAX-6",
    "SIGRTMAX-7",  "SIGRTMAX-8",  "SIGRTMAX-9",  "SIGRTMIN",    "SIGRTMIN+1",  "SIGRTMIN+10",
    "SIGRTMIN+11", "SIGRTMIN+12", "SIGRTMIN+13", "SIGRTMIN+14", "SIGRTMIN+15", "SIGRTMIN+2",
    "SIGRTMIN+3",  "SIGRTMIN+4",  "SIGRTMIN+5",  "SIGRTMIN+6",  "SIGRTMIN+7",  "SIGRTMIN+8",
    "SIGRTMIN+9",  "SIGSEGV",     "SIGSTKFLT",   "SIGSTOP",     "SIGSYS",      "SIGTERM",
    "SIGTRAP",     "SIGTSTP",     "SIGTTIN",     "SIGTTOU",     "SIGURG",      "SIGUSR1",
    "SIGUSR2",     "SIGVTALRM",   "SIGWINCH",    "SIGXCPU",     "SIGXFSZ",
};

static void validate_exec(dray_request *rq, const handler *h, const dray_path *path) {
    if (h->exec->command.n == 0)
        fail_required(rq, DRAY_AT(path, "command"), DRAY_STR(""));
}

static void validate_http_get(dray_request *rq, const handler *h, const dray_path *path) {
    const dray_core_http_get_action *http = h->http_get;
    if (http->path.n == 0)
        fail_required(rq, DRAY_AT(path, "path"), DRAY_STR(""));
    dray_validate_port(rq, http->port, DRAY_AT(path, "port"));
    if (!IS_ONE_OF(http->scheme, "HTTP", "HTTPS"))
        FAIL_UNSUPPORTED(rq, DRAY_AT(path, "scheme"), http->scheme, "HTTP", "HTTPS");
    for (size_t i = 0; i < http->http_headers.n; i++)
        fail_texts(rq, DRAY_AT(path, "httpHeaders"), http->http_headers.v[i].name,
                   dray_check_http_header);
    if (http->protocol.p == NULL)
        return;
    if (!IS_ONE_OF(http->protocol, "HTTP1", "HTTP2"))
        FAIL_UNSUPPORTED(rq, DRAY_AT(path, "protocol"), http->protocol, "HTTP1", "HTTP2");
    else if (dray_str_is(http->protocol, "HTTP2") && !dray_str_is(http->scheme, "HTTP"))
        fail_invalid_word(rq, DRAY_AT(path, "protocol"), http->protocol,
                          DRAY_STR("is only supported with HTTP (H2C)"));
    else if (dray_str_is(http->protocol, "HTTP2") && http->host.n > 0)
        fail_invalid(rq, DRAY_AT(path, "host"), http->host,
                     DRAY_STR("must be empty when `protocol` is \"HTTP2\""));
}

static void validate_tcp(dray_request *rq, const handler *h, const dray_path *path) {
    dray_validate_port(rq, h->tcp_socket->port, DRAY_AT(path, "port"));
}

static void validate_grpc(dray_request *rq, const handler *h, const dray_path *path) {
    dray_validate_port_number(rq, h->grpc->port, DRAY_AT(path, "port"));
    if (h->grpc->mode.p != NULL && !IS_ONE_OF(h->grpc->mode, "Plaintext", "TLS"))
        FAIL_UNSUPPORTED(rq, DRAY_AT(path, "mode"), h->grpc->mode, "Plaintext", "TLS");
}

static void validate_sleep(dray_pod_check *check, const handler *h, const dray_path *path) {
    dray_opt_int64 grace = check->spec->termination_grace_period_seconds;
    if (grace.set && (h->sleep->seconds < 0 || h->sleep->seconds > grace.v))
        fail_invalid_int(check->rq, path, h->sleep->seconds,
                         DETAIL(check->rq,
                                "must be non-negative and less than terminationGracePeriodSeconds "
                                "(%lld)",
                                (long long)grace.v));
}

static void validate_handler(dray_pod_check *check, const handler *h, const dray_path *path) {
    const struct {
        const char *name;
        bool set;
        void (*validate)(dray_request *rq, const handler *h, const dray_path *path);
    } kinds[] = {{"exec", h->exec != NULL, validate_exec},
                 {"httpGet", h->http_get != NULL, validate_http_get},
                 {"tcpSocket", h->tcp_socket != NULL, validate_tcp},
                 {"grpc", h->grpc != NULL, validate_grpc},
                 {"sleep", h->sleep != NULL, NULL}};
    size_t n = 0;
    for (size_t i = 0; i < DRAY_COUNT(kinds); i++) {
        dray_path at = dray_path_child(path, kinds[i].name);
        if (!kinds[i].set)
            continue;
        if (n++ > 0) {
            fail_forbidden(check->rq, &at, DRAY_STR("may not specify more than 1 handler type"));
            n = 1;
        } else if (kinds[i].validate != NULL) {
            kinds[i].validate(check->rq, h, &at);
        } else {
            validate_sleep(check, h, &at);
        }
    }
    if (n == 0)
        fail_required(check->rq, path, DRAY_STR("must specify a handler type"));
}

static void validate_probe(dray_pod_check *check, const dray_core_probe *probe,
                           const dray_path *path) {
    dray_request *rq = check->rq;
    const dray_core_probe_handler *p = probe->probe_handler;
    validate_handler(check, &(handler){p->exec, p->http_get, p->tcp_socket, p->grpc, NULL}, path);
    const struct {
        const char *name;
        int32_t value;
    } numbers[] = {{"initialDelaySeconds", probe->initial_delay_seconds},
                   {"timeoutSeconds", probe->timeout_seconds},
                   {"periodSeconds", probe->period_seconds},
                   {"successThreshold", probe->success_threshold},
                   {"failureThreshold", probe->failure_threshold}};
    for (size_t i = 0; i < DRAY_COUNT(numbers); i++)
        dray_validate_non_negative(rq, numbers[i].value, DRAY_AT(path, numbers[i].name));
    dray_opt_int64 grace = probe->termination_grace_period_seconds;
    if (grace.set && grace.v <= 0)
        fail_invalid_int(rq, DRAY_AT(path, "terminationGracePeriodSeconds"), grace.v,
                         DRAY_STR("must be greater than 0"));
}

/* A probe whose failure ends the container has to succeed but once. */
static void validate_single_success(dray_pod_check *check, const dray_core_probe *probe,
                                    const dray_path *path) {
    if (probe == NULL)
        return;
    validate_probe(check, probe, path);
    if (probe->success_threshold != 1)
        fail_invalid_int(check->rq, DRAY_AT(path, "successThreshold"), probe->success_threshold,
                         DRAY_STR("must be 1"));
}

void dray_validate_probes(dray_pod_check *check, const dray_core_container *container,
                          const dray_path *path) {
    const dray_core_probe *readiness = container->readiness_probe;
    validate_single_success(check, container->liveness_probe, DRAY_AT(path, "livenessProbe"));
    if (readiness != NULL) {
        dray_path at = dray_path_child(path, "readinessProbe");
        validate_probe(check, readiness, &at);
        if (readiness->termination_grace_period_seconds.set)
            fail_invalid_int(check->rq, DRAY_AT(&at, "terminationGracePeriodSeconds"),
                             readiness->termination_grace_period_seconds.v,
                             DRAY_STR("must not be set for readinessProbes"));
    }
    validate_single_success(check, container->startup_probe, DRAY_AT(path, "startupProbe"));
}

static void validate_hook(dray_pod_check *check, const dray_core_lifecycle_handler *hook,
                          const dray_path *path) {
    if (hook != NULL)
        validate_handler(
            check, &(handler){hook->exec, hook->http_get, hook->tcp_socket, NULL, hook->sleep},
            path);
}

void dray_validate_lifecycle(dray_pod_check *check, const dray_core_lifecycle *lifecycle,
                             const dray_path *path) {
    dray_request *rq = check->rq;
    validate_hook(check, lifecycle->post_start, DRAY_AT(path, "postStart"));
    validate_hook(check, lifecycle->pre_stop, DRAY_AT(path, "preStop"));
    dray_str stop = lifecycle->stop_signal;
    dray_path at = dray_path_child(path, "stopSignal");
    if (stop.p == NULL)
        return;
    if (check->spec->os == NULL)
        fail_forbidden(rq, &at,
                       DRAY_STR("may not be set for containers with empty `spec.os.name`"));
    else if (is_os(check->spec, "windows") && !IS_ONE_OF(stop, "SIGKILL", "SIGTERM"))
        FAIL_UNSUPPORTED(rq, &at, stop, "SIGKILL", "SIGTERM");
    else if (is_os(check->spec, "linux") &&
             !is_one_of(stop, linux_signals, DRAY_COUNT(linux_signals)))
        fail_unsupported(rq, &at, stop, linux_signals, DRAY_COUNT(linux_signals));
}
