/* Security contexts of Pods and containers, and what an operating system rules out. */
#include "api/validate/pod_int.h"

enum {
    APP_ARMOR_PROFILE_LIMIT = 4095,
    GMSA_SPEC_LIMIT = 64 * 1024,
    DOMAIN_LIMIT = 256,
    USER_LIMIT = 104,
    SYSCTL_LIMIT = 253,
};

/* Something that is set although the Pod's operating system has no such thing. */
typedef struct setting {
    const char *name;
    bool set;
} setting;

static void refuse(dray_request *rq, const setting *settings, size_t n, const dray_path *path,
                   dray_str why) {
    for (size_t i = 0; i < n; i++)
        if (settings[i].set)
            fail_forbidden(rq, DRAY_AT(path, settings[i].name), why);
}

static void validate_seccomp(dray_request *rq, const dray_core_seccomp_profile *profile,
                             const dray_path *path) {
    if (profile == NULL)
        return;
    dray_path local = dray_path_child(path, "localhostProfile");
    if (profile->type.n == 0)
        fail_required(rq, DRAY_AT(path, "type"),
                      DRAY_STR("type is required when seccompProfile is set"));
    else if (!IS_ONE_OF(profile->type, "Localhost", "RuntimeDefault", "Unconfined"))
        FAIL_UNSUPPORTED(rq, DRAY_AT(path, "type"), profile->type, "Localhost", "RuntimeDefault",
                         "Unconfined");
    if (!dray_str_is(profile->type, "Localhost")) {
        if (profile->localhost_profile.p != NULL)
            fail_invalid_text(rq, &local,
                              dray_value_internal(rq->arena, &dray_type_core_seccomp_profile,
                                                  profile, rq->gates->release),
                              DRAY_STR("can only be set when seccomp type is Localhost"));
        return;
    }
    if (profile->localhost_profile.p == NULL)
        fail_required(rq, &local, DRAY_STR("must be set when seccomp type is Localhost"));
    else
        dray_validate_local_path(rq, profile->localhost_profile, &local);
}

static void validate_app_armor(dray_request *rq, const dray_core_app_armor_profile *profile,
                               const dray_path *path) {
    if (profile == NULL)
        return;
    dray_str file = profile->localhost_profile;
    dray_path local = dray_path_child(path, "localhostProfile");
    if (dray_str_is(profile->type, "Localhost")) {
        if (file.p == NULL || file.n == 0)
            fail_required(rq, &local, DRAY_STR("must be set when AppArmor type is Localhost"));
        else if (dray_is_padded(file))
            fail_invalid(rq, &local, file, DRAY_STR("must not be padded with whitespace"));
        if (file.n > APP_ARMOR_PROFILE_LIMIT)
            fail_too_long(rq, &local, APP_ARMOR_PROFILE_LIMIT);
    } else if (IS_ONE_OF(profile->type, "RuntimeDefault", "Unconfined")) {
        if (file.p != NULL)
            fail_invalid(rq, &local, file,
                         DRAY_STR("can only be set when AppArmor type is Localhost"));
    } else if (profile->type.n == 0) {
        fail_required(rq, DRAY_AT(path, "type"),
                      DRAY_STR("type is required when appArmorProfile is set"));
    } else {
        FAIL_UNSUPPORTED(rq, DRAY_AT(path, "type"), profile->type, "Localhost", "RuntimeDefault",
                         "Unconfined");
    }
}

static bool has_any(dray_str s, const char *set) {
    for (size_t i = 0; i < s.n; i++)
        if (strchr(set, s.p[i]) != NULL)
            return true;
    return false;
}

static bool only_dots_and_spaces(dray_str s) {
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != '.' && s.p[i] != ' ')
            return false;
    return s.n > 0;
}

/* A NetBIOS name, or DNS labels of either case. */
static bool is_windows_domain(dray_str s) {
    if (s.n > 0 && s.n <= 15 && s.p[0] != '.' && !has_any(s, "\\/:*?\"<>|"))
        return true;
    dray_str head, tail = s;
    for (bool more = true; more;) {
        more = dray_str_cut(tail, '.', &head, &tail);
        if (head.n == 0 || head.n > 63 || head.p[0] == '-' || head.p[head.n - 1] == '-')
            return false;
        for (size_t i = 0; i < head.n; i++) {
            char c = head.p[i];
            if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-'))
                return false;
        }
    }
    return true;
}

static void validate_windows_user(dray_request *rq, dray_str name, const dray_path *path) {
    dray_str domain = DRAY_STR_NONE, user = name, rest;
    bool has_control = false;
    for (size_t i = 0; i < name.n; i++)
        has_control = has_control || (unsigned char)name.p[i] < 0x20 || name.p[i] == 0x7f;
    if (name.n == 0) {
        fail_invalid(rq, path, name, DRAY_STR("runAsUserName cannot be an empty string"));
        return;
    }
    if (has_control) {
        fail_invalid(rq, path, name, DRAY_STR("runAsUserName cannot contain control characters"));
        return;
    }
    bool has_domain = dray_str_cut(name, '\\', &domain, &rest);
    if (has_domain && dray_str_chr(rest, '\\') != SIZE_MAX) {
        fail_invalid(rq, path, name,
                     DRAY_STR("runAsUserName cannot contain more than one backslash"));
        return;
    }
    if (has_domain)
        user = rest;
    if (has_domain && domain.n >= DOMAIN_LIMIT)
        fail_invalid(rq, path, name,
                     DRAY_STR("runAsUserName's Domain length must be under 256 characters"));
    if (has_domain && !is_windows_domain(domain))
        fail_invalid(
            rq, path, name,
            DRAY_STR("runAsUserName's Domain doesn't match the NetBios nor the DNS format"));
    if (user.n == 0)
        fail_invalid(rq, path, name, DRAY_STR("runAsUserName's User cannot be empty"));
    else if (user.n > USER_LIMIT)
        fail_invalid(
            rq, path, name,
            DRAY_STR("runAsUserName's User length must not be longer than 104 characters"));
    if (only_dots_and_spaces(user))
        fail_invalid(rq, path, name,
                     DRAY_STR("runAsUserName's User cannot contain only periods or spaces"));
    if (has_any(user, "\"/\\:;|=,+*?<>@[]"))
        fail_invalid(rq, path, name,
                     DRAY_STR("runAsUserName's User cannot contain the following characters: "
                              "\"/\\:;|=,+*?<>@[]"));
}

static void validate_windows(dray_request *rq,
                             const dray_core_windows_security_context_options *options,
                             const dray_path *path) {
    if (options == NULL)
        return;
    dray_path spec = dray_path_child(path, "gmsaCredentialSpec");
    if (options->gmsa_credential_spec_name.p != NULL)
        fail_texts(rq, DRAY_AT(path, "gmsaCredentialSpecName"), options->gmsa_credential_spec_name,
                   dray_check_dns1123_subdomain);
    if (options->gmsa_credential_spec.p != NULL && options->gmsa_credential_spec.n == 0)
        fail_invalid(rq, &spec, options->gmsa_credential_spec,
                     DRAY_STR("gmsaCredentialSpec cannot be an empty string"));
    else if (options->gmsa_credential_spec.n > GMSA_SPEC_LIMIT)
        fail_invalid(rq, &spec, options->gmsa_credential_spec,
                     DRAY_STR("gmsaCredentialSpec size must be under 64 KiB"));
    if (options->run_as_user_name.p != NULL)
        validate_windows_user(rq, options->run_as_user_name, DRAY_AT(path, "runAsUserName"));
}

void dray_validate_security_context(dray_pod_check *check,
                                    const dray_core_security_context *context,
                                    const dray_path *path) {
    dray_request *rq = check->rq;
    if (context == NULL)
        return;
    bool host_users = !check->spec->host_users.set || check->spec->host_users.v;
    bool privileged = context->privileged.set && context->privileged.v;
    if (privileged && !rq->allow_privileged)
        fail_forbidden(rq, DRAY_AT(path, "privileged"), DRAY_STR("disallowed by cluster policy"));
    dray_validate_user_id(rq, context->run_as_user, DRAY_AT(path, "runAsUser"));
    dray_validate_user_id(rq, context->run_as_group, DRAY_AT(path, "runAsGroup"));
    dray_path proc = dray_path_child(path, "procMount");
    if (context->proc_mount.p != NULL && !IS_ONE_OF(context->proc_mount, "Default", "Unmasked"))
        FAIL_UNSUPPORTED(rq, &proc, context->proc_mount, "Default", "Unmasked");
    if (host_users && dray_str_is(context->proc_mount, "Unmasked"))
        fail_invalid_word(rq, &proc, context->proc_mount,
                          DRAY_STR("`hostUsers` must be false to use `Unmasked`"));
    validate_seccomp(rq, context->seccomp_profile, DRAY_AT(path, "seccompProfile"));
    if (context->allow_privilege_escalation.set && !context->allow_privilege_escalation.v) {
        dray_str text = dray_value_internal(rq->arena, &dray_type_core_security_context, context,
                                            rq->gates->release);
        if (privileged)
            fail_invalid_text(
                rq, path, text,
                DRAY_STR(
                    "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"));
        for (size_t i = 0; !check->sys_admin_no_escalation && context->capabilities != NULL &&
                           i < context->capabilities->add.n;
             i++)
            if (dray_str_is(context->capabilities->add.v[i], "CAP_SYS_ADMIN"))
                fail_invalid_text(rq, path, text,
                                  DRAY_STR("cannot set `allowPrivilegeEscalation` to false and "
                                           "`capabilities.Add` CAP_SYS_ADMIN"));
    }
    validate_windows(rq, context->windows_options, DRAY_AT(path, "windowsOptions"));
    validate_app_armor(rq, context->app_armor_profile, DRAY_AT(path, "appArmorProfile"));
}

/* [a-z0-9]([-_a-z0-9]*[a-z0-9])? segments between dots and slashes. */
static bool is_sysctl_name(dray_str s) {
    bool first = true;
    if (s.n == 0 || s.n > SYSCTL_LIMIT)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        bool ends = i + 1 == s.n || s.p[i + 1] == '.' || s.p[i + 1] == '/';
        if (c == '.' || c == '/') {
            if (first || i + 1 == s.n)
                return false;
            first = true;
            continue;
        }
        if (!word && (first || ends || (c != '-' && c != '_')))
            return false;
        first = false;
    }
    return true;
}

/* Whether a sysctl belongs to the namespace that the host lends: net or ipc. */
static bool sysctl_in(dray_str name, bool net) {
    static const char *const ipc[] = {"kernel.shm", "kernel.msg", "fs.mqueue."};
    if (net)
        return dray_str_starts(name, DRAY_STR("net."));
    for (size_t i = 0; i < DRAY_COUNT(ipc); i++)
        if (dray_str_starts(name, dray_str_of(ipc[i])))
            return true;
    return dray_str_is(name, "kernel.sem");
}

bool dray_host_sysctl_refused(const dray_core_pod_spec *spec, dray_str sysctl) {
    return (spec->host_network && sysctl_in(sysctl, true)) ||
           (spec->host_ipc && sysctl_in(sysctl, false));
}

static void validate_sysctls(dray_pod_check *check, const dray_core_pod_security_context *context,
                             const dray_path *path) {
    dray_request *rq = check->rq;
    const dray_core_pod_spec *spec = check->spec;
    for (size_t i = 0; i < context->sysctls.n; i++) {
        dray_str name = context->sysctls.v[i].name;
        dray_path at = dray_path_child(DRAY_AT_INDEX(path, i), "name");
        bool taken = false;
        for (size_t j = 0; j < i && !taken; j++)
            taken = dray_str_eq(context->sysctls.v[j].name, name);
        if (name.n == 0)
            fail_required(rq, &at, DRAY_STR(""));
        else if (!is_sysctl_name(name))
            fail_invalid(rq, &at, name,
                         DRAY_STR("must have at most 253 characters and match regex "
                                  "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*"
                                  "[a-z0-9])?$"));
        else if (taken)
            fail_duplicate(rq, &at, name);
        if (check->host_sysctls)
            continue;
        if (spec->host_network && sysctl_in(name, true))
            fail_invalid(rq, &at, name,
                         DRAY_STR("may not be specified when 'hostNetwork' is true"));
        else if (spec->host_ipc && sysctl_in(name, false))
            fail_invalid(rq, &at, name, DRAY_STR("may not be specified when 'hostIPC' is true"));
    }
}

static void validate_selinux_change(dray_pod_check *check, dray_str policy, const dray_path *path) {
    if (policy.p == NULL)
        return;
    if (check->only_recursive_selinux) {
        if (!dray_str_is(policy, "Recursive"))
            FAIL_UNSUPPORTED(check->rq, path, policy, "Recursive");
    } else if (!IS_ONE_OF(policy, "MountOption", "Recursive")) {
        FAIL_UNSUPPORTED(check->rq, path, policy, "MountOption", "Recursive");
    }
}

void dray_validate_pod_security(dray_pod_check *check, const dray_path *path) {
    dray_request *rq = check->rq;
    const dray_core_pod_security_context *context = check->spec->security_context;
    dray_path at = dray_path_child(path, "securityContext");
    if (context == NULL)
        return;
    dray_validate_user_id(rq, context->fs_group, DRAY_AT(&at, "fsGroup"));
    dray_validate_user_id(rq, context->run_as_user, DRAY_AT(&at, "runAsUser"));
    dray_validate_user_id(rq, context->run_as_group, DRAY_AT(&at, "runAsGroup"));
    for (size_t i = 0; i < context->supplemental_groups.n; i++)
        dray_validate_user_id(rq, (dray_opt_int64){true, context->supplemental_groups.v[i]},
                              DRAY_AT_INDEX(DRAY_AT(&at, "supplementalGroups"), i));
    validate_sysctls(check, context, DRAY_AT(&at, "sysctls"));
    dray_str change = context->fs_group_change_policy;
    if (change.p != NULL && !IS_ONE_OF(change, "Always", "OnRootMismatch"))
        FAIL_UNSUPPORTED(rq, DRAY_AT(&at, "fsGroupChangePolicy"), change, "Always",
                         "OnRootMismatch");
    validate_seccomp(rq, context->seccomp_profile, DRAY_AT(&at, "seccompProfile"));
    validate_windows(rq, context->windows_options, DRAY_AT(&at, "windowsOptions"));
    validate_app_armor(rq, context->app_armor_profile, DRAY_AT(&at, "appArmorProfile"));
    dray_str groups = context->supplemental_groups_policy;
    if (groups.p != NULL && !IS_ONE_OF(groups, "Merge", "Strict"))
        FAIL_UNSUPPORTED(rq, DRAY_AT(&at, "supplementalGroupsPolicy"), groups, "Merge", "Strict");
    validate_selinux_change(check, context->se_linux_change_policy,
                            DRAY_AT(&at, "seLinuxChangePolicy"));
}

static void refuse_linux_settings(dray_pod_check *check, const dray_path *path) {
    dray_str why = DRAY_STR("cannot be set for a windows pod");
    const dray_core_pod_spec *spec = check->spec;
    const dray_core_pod_security_context *c = spec->security_context;
    if (c != NULL) {
        const setting settings[] = {
            {"appArmorProfile", c->app_armor_profile != NULL},
            {"seLinuxOptions", c->se_linux_options != NULL},
            {"seccompProfile", c->seccomp_profile != NULL},
            {"fsGroup", c->fs_group.set},
            {"fsGroupChangePolicy", c->fs_group_change_policy.p != NULL},
            {"sysctls", c->sysctls.n > 0},
            {"runAsUser", c->run_as_user.set},
            {"runAsGroup", c->run_as_group.set},
            {"supplementalGroups", c->supplemental_groups.v != NULL},
            {"supplementalGroupsPolicy", c->supplemental_groups_policy.p != NULL},
            {"seLinuxChangePolicy", c->se_linux_change_policy.p != NULL},
        };
        refuse(check->rq, settings, DRAY_COUNT(settings), DRAY_AT(path, "securityContext"), why);
    }
    const setting settings[] = {
        {"hostUsers", spec->host_users.set},
        {"hostPID", spec->host_pid},
        {"hostIPC", spec->host_ipc},
        {"shareProcessNamespace", spec->share_process_namespace.set},
    };
    refuse(check->rq, settings, DRAY_COUNT(settings), path, why);
}

static void refuse_linux_container(dray_request *rq, const dray_core_security_context *c,
                                   const dray_path *path) {
    const setting settings[] = {
        {"appArmorProfile", c->app_armor_profile != NULL},
        {"seLinuxOptions", c->se_linux_options != NULL},
        {"seccompProfile", c->seccomp_profile != NULL},
        {"capabilities", c->capabilities != NULL},
        {"readOnlyRootFilesystem", c->read_only_root_filesystem.set},
        {"privileged", c->privileged.set},
        {"allowPrivilegeEscalation", c->allow_privilege_escalation.set},
        {"procMount", c->proc_mount.p != NULL},
        {"runAsUser", c->run_as_user.set},
        {"runAsGroup", c->run_as_group.set},
    };
    refuse(rq, settings, DRAY_COUNT(settings), path, DRAY_STR("cannot be set for a windows pod"));
}

void dray_validate_pod_os(dray_pod_check *check, const dray_path *path) {
    dray_request *rq = check->rq;
    const dray_core_pod_spec *spec = check->spec;
    dray_str why = DRAY_STR("windows options cannot be set for a linux pod");
    if (spec->os == NULL)
        return;
    if (spec->os->name.n == 0) {
        fail_required(rq, DRAY_AT(DRAY_AT(path, "os"), "name"), DRAY_STR(""));
        return;
    }
    bool windows = is_os(spec, "windows");
    if (!windows && !is_os(spec, "linux")) {
        FAIL_UNSUPPORTED(rq, DRAY_AT(path, "os"), spec->os->name, "linux", "windows");
        return;
    }
    if (windows)
        refuse_linux_settings(check, path);
    else if (spec->security_context != NULL && spec->security_context->windows_options != NULL)
        fail_forbidden(rq, DRAY_AT(DRAY_AT(path, "securityContext"), "windowsOptions"), why);
    for (size_t i = 0; i < dray_pod_n_containers(spec); i++) {
        dray_container_ref ref = dray_pod_container(spec, i);
        const dray_core_security_context *context = ref.container->security_context;
        dray_path item = dray_path_index(DRAY_AT(path, ref.list), ref.index);
        dray_path at = dray_path_child(&item, "securityContext");
        if (context == NULL)
            continue;
        if (windows)
            refuse_linux_container(rq, context, &at);
        else if (context->windows_options != NULL)
            fail_forbidden(rq, DRAY_AT(&at, "windowsOptions"), why);
    }
}

void dray_validate_host_process(dray_pod_check *check, const dray_path *path) {
    dray_request *rq = check->rq;
    const dray_core_pod_spec *spec = check->spec;
    const dray_core_pod_security_context *pod = spec->security_context;
    dray_opt_bool own = {false, false};
    size_t n = dray_pod_n_containers(spec), hosts = 0;
    if (pod != NULL && pod->windows_options != NULL)
        own = pod->windows_options->host_process;
    for (size_t i = 0; i < n; i++) {
        dray_container_ref ref = dray_pod_container(spec, i);
        const dray_core_security_context *context = ref.container->security_context;
        dray_opt_bool its = {false, false};
        if (context != NULL && context->windows_options != NULL)
            its = context->windows_options->host_process;
        dray_path item = dray_path_index(DRAY_AT(path, ref.list), ref.index);
        if (own.set && its.set && own.v != its.v)
            fail_invalid_bool(
                rq,
                DRAY_AT(DRAY_AT(DRAY_AT(&item, "securityContext"), "windowsOptions"),
                        "hostProcess"),
                its.v,
                DETAIL(rq, "pod hostProcess value must be identical if both are specified, was %s",
                       own.v ? "true" : "false"));
        hosts += its.set ? its.v : own.set && own.v;
    }
    if (hosts == 0)
        return;
    if (hosts != n)
        fail_invalid(rq, path, DRAY_STR(""),
                     DRAY_STR("If pod contains any hostProcess containers then all containers must "
                              "be HostProcess containers"));
    if (!spec->host_network)
        fail_invalid_bool(
            rq, DRAY_AT(path, "hostNetwork"), false,
            DRAY_STR("hostNetwork must be true if pod contains any hostProcess containers"));
    if (!rq->allow_privileged)
        fail_forbidden(rq, path,
                       DRAY_STR("hostProcess containers are disallowed by cluster policy"));
}

bool dray_app_armor_valid(const dray_core_app_armor_profile *profile) {
    if (IS_ONE_OF(profile->type, "RuntimeDefault", "Unconfined"))
        return profile->localhost_profile.p == NULL;
    return dray_str_is(profile->type, "Localhost") && profile->localhost_profile.n > 0 &&
           profile->localhost_profile.n <= APP_ARMOR_PROFILE_LIMIT &&
           !dray_is_padded(profile->localhost_profile);
}
