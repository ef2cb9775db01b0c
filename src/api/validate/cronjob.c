/* CronJobs: schedules, time zones, the template of a Job. */
#include "api/validate/workload_int.h"

enum { NAME_LIMIT = 52, ZONE_PART_LIMIT = 14 };

typedef struct bounds {
    unsigned min, max;
    const char *const *names; /* of the numbers from min on; NULL: none */
    size_t n_names;
} bounds;

static const char *const months[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                     "jul", "aug", "sep", "oct", "nov", "dec"};
static const char *const days[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
static const bounds fields[] = {{0, 59, NULL, 0},
                                {0, 23, NULL, 0},
                                {1, 31, NULL, 0},
                                {1, 12, months, DRAY_COUNT(months)},
                                {0, 6, days, DRAY_COUNT(days)}};
static const char *const zones[] = {
#define ZONE(name_) name_,
#include "api/tables/time_zones.def"
#undef ZONE
};

static bool equal_caseless(dray_str s, const char *word) {
    if (s.n != strlen(word))
        return false;
    for (size_t i = 0; i < s.n; i++)
        if ((s.p[i] | 0x20) != (word[i] | 0x20))
            return false;
    return true;
}

static dray_str parse_number(dray_request *rq, dray_str text, int64_t *ret) {
    bool sign = text.n > 0 && (text.p[0] == '-' || text.p[0] == '+');
    dray_str digits = dray_str_slice(text, sign ? 1 : 0, text.n);
    bool good = digits.n > 0;
    int64_t n = 0;
    for (size_t i = 0; good && i < digits.n; i++) {
        good = digits.p[i] >= '0' && digits.p[i] <= '9';
        if (digits.n <= 18)
            n = n * 10 + (digits.p[i] - '0');
    }
    if (!good || digits.n > 18)
        return DETAIL(
            rq, "failed to parse int from " DRAY_FMT ": strconv.Atoi: parsing " DRAY_FMT ": %s",
            DRAY_ARG(text), DRAY_ARG(dray_value_quote(rq->arena, text)),
            good ? "value out of range" : "invalid syntax");
    if (sign && text.p[0] == '-' && n > 0)
        return DETAIL(rq, "negative number (%lld) not allowed: " DRAY_FMT, (long long)-n,
                      DRAY_ARG(text));
    *ret = n;
    return DRAY_STR_NONE;
}

static dray_str parse_value(dray_request *rq, dray_str text, const bounds *b, int64_t *ret) {
    for (size_t i = 0; i < b->n_names; i++)
        if (equal_caseless(text, b->names[i])) {
            *ret = (int64_t)(b->min + i);
            return DRAY_STR_NONE;
        }
    return parse_number(rq, text, ret);
}

/* One "*", "1-5/2" or "mon"; absent when it is in order. */
static dray_str check_range(dray_request *rq, dray_str expr, const bounds *b) {
    dray_str range = expr, step_text = DRAY_STR_NONE, low, high = DRAY_STR_NONE, why;
    int64_t start = b->min, end = b->max, step = 1;
    bool stepped = dray_str_cut(expr, '/', &range, &step_text);
    bool hyphen = dray_str_cut(range, '-', &low, &high);
    if (!dray_str_is(low, "*") && !dray_str_is(low, "?")) {
        why = parse_value(rq, low, b, &start);
        if (why.p != NULL)
            return why;
        if (hyphen && dray_str_chr(high, '-') != SIZE_MAX)
            return DETAIL(rq, "too many hyphens: " DRAY_FMT, DRAY_ARG(expr));
        end = start;
        why = hyphen ? parse_value(rq, high, b, &end) : DRAY_STR_NONE;
        if (why.p != NULL)
            return why;
    }
    if (stepped) {
        if (dray_str_chr(step_text, '/') != SIZE_MAX)
            return DETAIL(rq, "too many slashes: " DRAY_FMT, DRAY_ARG(expr));
        why = parse_number(rq, step_text, &step);
        if (why.p != NULL)
            return why;
        if (!hyphen)
            end = b->max;
    }
    if (start < b->min)
        return DETAIL(rq, "beginning of range (%lld) below minimum (%u): " DRAY_FMT,
                      (long long)start, b->min, DRAY_ARG(expr));
    if (end > b->max)
        return DETAIL(rq, "end of range (%lld) above maximum (%u): " DRAY_FMT, (long long)end,
                      b->max, DRAY_ARG(expr));
    if (start > end)
        return DETAIL(rq, "beginning of range (%lld) beyond end of range (%lld): " DRAY_FMT,
                      (long long)start, (long long)end, DRAY_ARG(expr));
    if (step == 0)
        return DETAIL(rq, "step of range should be a positive number: " DRAY_FMT, DRAY_ARG(expr));
    return DRAY_STR_NONE;
}

static bool is_duration(dray_str s) {
    static const char *const units[] = {"ns", "us", "µs", "μs", "ms", "s", "m", "h"};
    size_t i = s.n > 0 && (s.p[0] == '-' || s.p[0] == '+') ? 1 : 0;
    if (s.n - i == 1 && s.p[i] == '0')
        return true;
    if (i == s.n)
        return false;
    while (i < s.n) {
        size_t start = i, unit;
        while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9')
            i++;
        bool digits = i > start;
        if (i < s.n && s.p[i] == '.')
            for (i++; i < s.n && s.p[i] >= '0' && s.p[i] <= '9'; i++)
                digits = true;
        unit = i;
        while (i < s.n && s.p[i] != '.' && (s.p[i] < '0' || s.p[i] > '9'))
            i++;
        if (!digits || !is_one_of(dray_str_slice(s, unit, i), units, DRAY_COUNT(units)))
            return false;
    }
    return true;
}

static dray_str check_descriptor(dray_request *rq, dray_str text) {
    dray_str every = DRAY_STR("@every ");
    if (IS_ONE_OF(text, "@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight",
                  "@hourly"))
        return DRAY_STR_NONE;
    if (!dray_str_starts(text, every))
        return DETAIL(rq, "unrecognized descriptor: " DRAY_FMT, DRAY_ARG(text));
    if (is_duration(dray_str_slice(text, every.n, text.n)))
        return DRAY_STR_NONE;
    return DETAIL(rq, "failed to parse duration " DRAY_FMT ": time: invalid duration " DRAY_FMT,
                  DRAY_ARG(text),
                  DRAY_ARG(dray_value_quote(rq->arena, dray_str_slice(text, every.n, text.n))));
}

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static dray_str check_fields(dray_request *rq, dray_str text) {
    DRAY_VEC(dray_str) words = {0};
    DRAY_CLEANUP_BUF dray_buf list = DRAY_BUF_INIT;
    for (size_t i = 0; i < text.n;) {
        size_t start = i;
        while (i < text.n && !is_space(text.p[i]))
            i++;
        if (i > start)
            DRAY_PUSH(rq->arena, &words, dray_str_slice(text, start, i));
        i++;
    }
    if (words.n != DRAY_COUNT(fields)) {
        for (size_t i = 0; i < words.n; i++)
            dray_buf_addf(&list, "%s" DRAY_FMT, i > 0 ? " " : "", DRAY_ARG(words.v[i]));
        return DETAIL(rq, "expected exactly 5 fields, found %zu: [" DRAY_FMT "]", words.n,
                      DRAY_ARG(dray_buf_str(&list)));
    }
    for (size_t i = 0; i < words.n; i++) {
        dray_str head, tail = words.v[i];
        for (bool more = true; more;) {
            more = dray_str_cut(tail, ',', &head, &tail);
            dray_str why = head.n > 0 ? check_range(rq, head, &fields[i]) : DRAY_STR_NONE;
            if (why.p != NULL)
                return why;
        }
    }
    return DRAY_STR_NONE;
}

bool dray_time_zone_known(dray_str name) {
    size_t low = 0, high = DRAY_COUNT(zones);
    if (name.n == 0 || IS_ONE_OF(name, "UTC", "Local"))
        return true;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = dray_str_cmp(dray_str_of(zones[middle]), name);
        if (order == 0)
            return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

dray_str dray_cron_check(dray_request *rq, dray_str schedule) {
    dray_str text = schedule;
    if (dray_str_starts(text, DRAY_STR("TZ=")) || dray_str_starts(text, DRAY_STR("CRON_TZ="))) {
        size_t space = dray_str_chr(text, ' '), equal = dray_str_chr(text, '=');
        if (space == SIZE_MAX)
            return DETAIL(rq, "invalid schedule format: runtime error: slice bounds out of range "
                              "[:-1]");
        dray_str zone = dray_str_slice(text, equal + 1, space);
        if (!dray_time_zone_known(zone))
            return DETAIL(rq, "provided bad location " DRAY_FMT ": unknown time zone " DRAY_FMT,
                          DRAY_ARG(zone), DRAY_ARG(zone));
        text = dray_str_slice(text, space, text.n);
        while (text.n > 0 && is_space(text.p[0]))
            text = dray_str_slice(text, 1, text.n);
        while (text.n > 0 && is_space(text.p[text.n - 1]))
            text.n--;
    }
    return dray_str_starts(text, DRAY_STR("@")) ? check_descriptor(rq, text)
                                                : check_fields(rq, text);
}

static void validate_schedule(dray_request *rq, const dray_batch_cron_job_spec *spec,
                              const dray_batch_cron_job_spec *old, const dray_path *path) {
    dray_str tz = DRAY_STR("TZ");
    if (spec->schedule.n == 0) {
        fail_required(rq, path, DRAY_STR(""));
        return;
    }
    dray_str why = dray_cron_check(rq, spec->schedule);
    if (why.p != NULL)
        fail_invalid(rq, path, spec->schedule, why);
    bool allowed = old != NULL && dray_str_find(old->schedule, tz) != SIZE_MAX;
    if (dray_str_find(spec->schedule, tz) == SIZE_MAX)
        return;
    if (!allowed)
        fail_invalid(rq, path, spec->schedule,
                     DRAY_STR("cannot use TZ or CRON_TZ in schedule, use timeZone field instead"));
    else if (spec->time_zone.p != NULL)
        fail_invalid(rq, path, spec->schedule,
                     DRAY_STR("cannot use both timeZone field and TZ or CRON_TZ in schedule"));
}

static bool is_zone_part(dray_str part) {
    if (part.n == 0 || part.n > ZONE_PART_LIMIT || part.p[0] == '-' || dray_str_is(part, ".") ||
        dray_str_is(part, ".."))
        return false;
    for (size_t i = 0; i < part.n; i++) {
        char c = part.p[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              strchr(".-_+", c) != NULL))
            return false;
    }
    return true;
}

static void validate_time_zone(dray_request *rq, dray_str zone, const dray_path *path) {
    dray_str head, tail = zone;
    bool good = true;
    if (zone.p == NULL)
        return;
    if (zone.n == 0) {
        fail_invalid(rq, path, zone, DRAY_STR("timeZone must be nil or non-empty string"));
        return;
    }
    for (bool more = true; good && more;) {
        more = dray_str_cut(tail, '/', &head, &tail);
        good = is_zone_part(head);
    }
    dray_str unknown = DETAIL(rq, "unknown time zone " DRAY_FMT, DRAY_ARG(zone));
    if (!good) {
        fail_invalid(rq, path, zone, unknown);
        return;
    }
    if (equal_caseless(zone, "local"))
        fail_invalid(rq, path, zone,
                     DRAY_STR("timeZone must be an explicit time zone as defined in "
                              "https://www.iana.org/time-zones"));
    if (!dray_time_zone_known(zone))
        fail_invalid(rq, path, zone, unknown);
}

void dray_validate_cron_job(dray_request *rq, const void *body, const void *old_body) {
    static const char *const manual[] = {"nil", "false"};
    const dray_batch_cron_job *cron = body, *old = old_body;
    const dray_batch_cron_job_spec *spec = cron->spec, *was = old != NULL ? old->spec : NULL;
    const dray_batch_job_spec *job = spec->job_template->spec;
    dray_path path = dray_path_child(NULL, "spec");
    dray_path job_path = dray_path_child(DRAY_AT(&path, "jobTemplate"), "spec");
    dray_pod_check check = dray_template_check_of(
        rq, job->template, was != NULL ? was->job_template->spec->template : NULL);
    dray_validate_object_meta(rq, cron->metadata, old != NULL ? old->metadata : NULL, false);
    validate_schedule(rq, spec, was, DRAY_AT(&path, "schedule"));
    dray_validate_non_negative(rq, spec->starting_deadline_seconds.v,
                               DRAY_AT(&path, "startingDeadlineSeconds"));
    if (was == NULL || (was->time_zone.p == NULL) != (spec->time_zone.p == NULL) ||
        !dray_str_eq(was->time_zone, spec->time_zone))
        validate_time_zone(rq, spec->time_zone, DRAY_AT(&path, "timeZone"));
    if (spec->concurrency_policy.n == 0)
        fail_required(rq, DRAY_AT(&path, "concurrencyPolicy"), DRAY_STR(""));
    else if (!IS_ONE_OF(spec->concurrency_policy, "Allow", "Forbid", "Replace"))
        FAIL_UNSUPPORTED(rq, DRAY_AT(&path, "concurrencyPolicy"), spec->concurrency_policy, "Allow",
                         "Forbid", "Replace");
    dray_validate_job_spec(rq, &check, job, &job_path);
    if (job->selector != NULL)
        fail_invalid_text(
            rq, DRAY_AT(&job_path, "selector"),
            dray_value_declared(rq->arena, &dray_type_meta_label_selector, job->selector),
            DRAY_STR("`selector` will be auto-generated"));
    if (job->manual_selector.set && job->manual_selector.v)
        fail(rq, DRAY_FIELD_NOT_SUPPORTED, DRAY_AT(&job_path, "manualSelector"), DRAY_STR("true"),
             dray_detail_supported(rq->arena, manual, DRAY_COUNT(manual)));
    dray_validate_non_negative(rq, spec->successful_jobs_history_limit.v,
                               DRAY_AT(&path, "successfulJobsHistoryLimit"));
    dray_validate_non_negative(rq, spec->failed_jobs_history_limit.v,
                               DRAY_AT(&path, "failedJobsHistoryLimit"));
    if (old == NULL && cron->metadata->name.n > NAME_LIMIT)
        fail_invalid(rq, DRAY_AT(DRAY_AT(NULL, "metadata"), "name"), cron->metadata->name,
                     DRAY_STR("must be no more than 52 characters"));
}
