/* URLs as Go's net/url reads them: Parse and ParseRequestURI, to the text of their errors. */
#include "celk8s/libs_int.h"

#include "base/ip.h"
#include "base/utf8.h"

#include <stdio.h>

typedef enum mode { PATH, USER, HOST, ZONE, QUERY, FRAGMENT } mode;

enum { MAX_PARAMS = 10000 }; /* of one query, as Go limits them */

static bool is_alnum(unsigned char c) {
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* url.shouldEscape */
static bool should_escape(unsigned char c, mode m) {
    if (is_alnum(c))
        return false;
    if ((m == HOST || m == ZONE) && c != 0 && strchr("!$&'()*+,;=:[]<>\"", c) != NULL)
        return false;
    if (c != 0 && strchr("-_.~", c) != NULL)
        return false;
    if (c != 0 && strchr("$&+,/:;=?@", c) != NULL) {
        switch (m) {
        case PATH:
            return c == '?';
        case USER:
            return c == '@' || c == '/' || c == '?' || c == ':';
        case QUERY:
            return true;
        case FRAGMENT:
            return false;
        case HOST:
        case ZONE:
            break;
        }
    }
    return m != FRAGMENT || c == 0 || strchr("!()*", c) == NULL;
}

static int hex(unsigned char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool bad_escape(dray_arena *arena, dray_str s, size_t at, dray_str *why) {
    dray_str part = dray_str_slice(s, at, at + 3);
    *why = dray_strf(arena, "invalid URL escape " DRAY_FMT, DRAY_ARG(dray_utf8_quote(part, arena)));
    return false;
}

static bool check_escape(dray_arena *arena, dray_str s, size_t at, mode m, dray_str *why) {
    if (at + 2 >= s.n || hex((unsigned char)s.p[at + 1]) < 0 || hex((unsigned char)s.p[at + 2]) < 0)
        return bad_escape(arena, s, at, why);
    int high = hex((unsigned char)s.p[at + 1]), low = hex((unsigned char)s.p[at + 2]);
    bool percent = high == 2 && low == 5;
    if (m == HOST && high < 8 && !percent)
        return bad_escape(arena, s, at, why);
    unsigned char c = (unsigned char)(high << 4 | low);
    if (m == ZONE && !percent && c != ' ' && should_escape(c, HOST))
        return bad_escape(arena, s, at, why);
    return true;
}

static bool unescape(dray_arena *arena, dray_str s, mode m, dray_str *ret, dray_str *why) {
    char *p = dray_arena_bytes(arena, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '%') {
            if (!check_escape(arena, s, i, m, why))
                return false;
            p[n++] = (char)(hex((unsigned char)s.p[i + 1]) << 4 | hex((unsigned char)s.p[i + 2]));
            i += 2;
        } else if (c == '+' && m == QUERY) {
            p[n++] = ' ';
        } else {
            if ((m == HOST || m == ZONE) && c < 0x80 && should_escape(c, m)) {
                *why = dray_strf(arena, "invalid character " DRAY_FMT " in host name",
                                 DRAY_ARG(dray_utf8_quote(dray_str_slice(s, i, i + 1), arena)));
                return false;
            }
            p[n++] = (char)c;
        }
    }
    *ret = (dray_str){p, n};
    return true;
}

bool dray_celk8s_url_unescape_query(dray_str text, dray_arena *arena, dray_str *ret) {
    dray_str why;
    return unescape(arena, text, QUERY, ret, &why);
}

static void escape(dray_buf *out, dray_str s, mode m) {
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (should_escape(c, m))
            dray_buf_addf(out, "%%%02X", c);
        else
            dray_buf_putc(out, (char)c);
    }
}

static dray_str escaped(dray_arena *arena, dray_str s, mode m) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    escape(&out, s, m);
    return dray_str_dup(arena, dray_buf_str(&out));
}

/* --- parts --- */

static bool fail(dray_str *why, const char *text) {
    *why = dray_str_of(text);
    return false;
}

/* scheme: and the rest; an absent scheme is empty. */
static bool cut_scheme(dray_str s, dray_str *scheme, dray_str *rest, dray_str *why) {
    *scheme = DRAY_STR("");
    *rest = s;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if ((c | 32) >= 'a' && (c | 32) <= 'z')
            continue;
        if (c == ':') {
            if (i == 0)
                return fail(why, "missing protocol scheme");
            *scheme = dray_str_slice(s, 0, i);
            *rest = dray_str_slice(s, i + 1, s.n);
            return true;
        }
        if (i == 0 || (!is_alnum(c) && c != '+' && c != '-' && c != '.'))
            return true;
    }
    return true;
}

static bool valid_port(dray_str port) {
    if (port.n == 0)
        return true;
    for (size_t i = 1; i < port.n; i++)
        if (port.p[i] < '0' || port.p[i] > '9')
            return false;
    return port.p[0] == ':';
}

static bool bad_port(dray_arena *arena, dray_str port, dray_str *why) {
    *why = dray_strf(arena, "invalid port " DRAY_FMT " after host",
                     DRAY_ARG(dray_utf8_quote(port, arena)));
    return false;
}

/* [address] and perhaps a port. */
static bool read_literal(dray_arena *arena, dray_str host, dray_str *ret, dray_str *why) {
    size_t end = dray_str_rchr(host, ']');
    if (end == SIZE_MAX)
        return fail(why, "missing ']' in host");
    dray_str port = dray_str_slice(host, end + 1, host.n);
    if (!valid_port(port))
        return bad_port(arena, port, why);
    dray_str name = dray_str_slice(host, 1, end), zone = DRAY_STR("");
    size_t at = dray_str_find(name, DRAY_STR("%25"));
    if (at != SIZE_MAX && !unescape(arena, dray_str_slice(name, at, name.n), ZONE, &zone, why))
        return false;
    if (!unescape(arena, dray_str_slice(name, 0, at), HOST, &name, why))
        return false;
    name = dray_strf(arena, DRAY_FMT DRAY_FMT, DRAY_ARG(name), DRAY_ARG(zone));
    dray_ip addr;
    dray_str reason;
    if (!dray_ip_read(name, arena, &addr, &reason)) {
        *why = dray_strf(arena, "invalid host: " DRAY_FMT, DRAY_ARG(reason));
        return false;
    }
    if (!addr.v6)
        return fail(why, "invalid IP-literal");
    *ret = dray_strf(arena, "[" DRAY_FMT "]" DRAY_FMT, DRAY_ARG(name), DRAY_ARG(port));
    return true;
}

static bool read_host(dray_arena *arena, dray_str scheme, dray_str host, dray_str *ret,
                      dray_str *why) {
    size_t open = dray_str_rchr(host, '[');
    if (open != SIZE_MAX && open > 0)
        return fail(why, "invalid IP-literal");
    if (open == 0)
        return read_literal(arena, host, ret, why);
    size_t colon = dray_str_chr(host, ':'), last = dray_str_rchr(host, ':');
    if (colon != SIZE_MAX) {
        if (last != colon && !dray_str_is(scheme, "http") && !dray_str_is(scheme, "https"))
            colon = last;
        dray_str port = dray_str_slice(host, colon, host.n);
        if (!valid_port(port))
            return bad_port(arena, port, why);
    }
    return unescape(arena, host, HOST, ret, why);
}

static bool valid_user(dray_str s) {
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (!is_alnum(c) && (c == 0 || strchr("-._:~!$&'()*+,;=%@", c) == NULL))
            return false;
    }
    return true;
}

static bool read_authority(dray_arena *arena, dray_str s, dray_celk8s_url *url, dray_str *why) {
    size_t at = dray_str_rchr(s, '@');
    if (!read_host(arena, url->scheme, at == SIZE_MAX ? s : dray_str_slice(s, at + 1, s.n),
                   &url->host, why))
        return false;
    if (at == SIZE_MAX)
        return true;
    dray_str user = dray_str_slice(s, 0, at), password;
    if (!valid_user(user))
        return fail(why, "net/url: invalid userinfo");
    url->has_user = true;
    url->has_password = dray_str_cut(user, ':', &user, &password);
    if (!unescape(arena, user, USER, &url->user, why))
        return false;
    return !url->has_password || unescape(arena, password, USER, &url->password, why);
}

static bool read_path(dray_arena *arena, dray_str s, dray_celk8s_url *url, dray_str *why) {
    if (!unescape(arena, s, PATH, &url->path, why))
        return false;
    if (!dray_str_eq(s, escaped(arena, url->path, PATH)))
        url->raw_path = s;
    return true;
}

static bool has_control(dray_str s) {
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f)
            return true;
    return false;
}

static void cut_query(dray_str *rest, dray_celk8s_url *url) {
    size_t mark = dray_str_chr(*rest, '?');
    if (mark == SIZE_MAX)
        return;
    if (mark == rest->n - 1)
        url->force_query = true;
    else
        url->raw_query = dray_str_slice(*rest, mark + 1, rest->n);
    *rest = dray_str_slice(*rest, 0, mark);
}

static dray_str lower(dray_arena *arena, dray_str s) {
    char *p = dray_arena_bytes(arena, s.n + 1);
    for (size_t i = 0; i < s.n; i++)
        p[i] = s.p[i] >= 'A' && s.p[i] <= 'Z' ? (char)(s.p[i] + 32) : s.p[i];
    return (dray_str){p, s.n};
}

/* url.parse */
static bool read_url(dray_str text, bool request, dray_arena *arena, dray_celk8s_url *url,
                     dray_str *why) {
    dray_str rest;
    if (has_control(text))
        return fail(why, "net/url: invalid control character in URL");
    if (text.n == 0 && request)
        return fail(why, "empty url");
    if (dray_str_is(text, "*")) {
        url->path = text;
        return true;
    }
    if (!cut_scheme(text, &url->scheme, &rest, why))
        return false;
    url->scheme = lower(arena, url->scheme);
    cut_query(&rest, url);
    if (!dray_str_starts(rest, DRAY_STR("/"))) {
        if (url->scheme.n > 0) {
            url->opaque = rest;
            return true;
        }
        if (request)
            return fail(why, "invalid URI for request");
        dray_str segment, tail;
        dray_str_cut(rest, '/', &segment, &tail);
        if (dray_str_chr(segment, ':') != SIZE_MAX)
            return fail(why, "first path segment in URL cannot contain colon");
    }
    if ((url->scheme.n > 0 || (!request && !dray_str_starts(rest, DRAY_STR("///")))) &&
        dray_str_starts(rest, DRAY_STR("//"))) {
        dray_str authority = dray_str_slice(rest, 2, rest.n);
        size_t slash = dray_str_chr(authority, '/');
        rest = slash == SIZE_MAX ? DRAY_STR("") : dray_str_slice(authority, slash, authority.n);
        if (!read_authority(arena, dray_str_slice(authority, 0, slash), url, why))
            return false;
    } else if (url->scheme.n > 0 && dray_str_starts(rest, DRAY_STR("/"))) {
        url->omit_host = true;
    }
    return read_path(arena, rest, url, why);
}

static bool explain(dray_str text, dray_arena *arena, dray_str *why) {
    *why = dray_strf(arena, "parse " DRAY_FMT ": " DRAY_FMT, DRAY_ARG(dray_utf8_quote(text, arena)),
                     DRAY_ARG(*why));
    return false;
}

bool dray_celk8s_url_check(dray_str text, dray_arena *arena, dray_str *ret_why) {
    dray_celk8s_url url = {0};
    return read_url(text, true, arena, &url, ret_why) || explain(text, arena, ret_why);
}

bool dray_celk8s_url_read(dray_str text, dray_arena *arena, dray_celk8s_url *ret,
                          dray_str *ret_why) {
    dray_celk8s_url url = {0};
    if (!dray_celk8s_url_check(text, arena, ret_why))
        return false;
    dray_str main, fragment;
    dray_str_cut(text, '#', &main, &fragment);
    if (!read_url(main, false, arena, &url, ret_why))
        return explain(main, arena, ret_why);
    if (fragment.n > 0) {
        if (!unescape(arena, fragment, FRAGMENT, &url.fragment, ret_why))
            return explain(text, arena, ret_why);
        url.raw_fragment = fragment;
    }
    *ret = url;
    return true;
}

static bool valid_encoded(dray_str s) {
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if ((c == 0 || strchr("!$&'()*+,;=:@[]%", c) == NULL) && should_escape(c, PATH))
            return false;
    }
    return true;
}

dray_str dray_celk8s_url_escaped_path(const dray_celk8s_url *url, dray_arena *arena) {
    if (url->raw_path.n > 0 && valid_encoded(url->raw_path))
        return url->raw_path;
    if (dray_str_is(url->path, "*"))
        return url->path;
    return escaped(arena, url->path, PATH);
}

static void print_authority(dray_buf *out, const dray_celk8s_url *url) {
    if (url->scheme.n == 0 && url->host.n == 0 && !url->has_user)
        return;
    if (url->omit_host && url->host.n == 0 && !url->has_user)
        return;
    if (url->host.n > 0 || url->path.n > 0 || url->has_user)
        dray_buf_puts(out, "//");
    if (url->has_user) {
        escape(out, url->user, USER);
        if (url->has_password) {
            dray_buf_putc(out, ':');
            escape(out, url->password, USER);
        }
        dray_buf_putc(out, '@');
    }
    escape(out, url->host, HOST);
}

dray_str dray_celk8s_url_text(const dray_celk8s_url *url, dray_arena *arena) {
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    if (url->scheme.n > 0)
        dray_buf_addf(&out, DRAY_FMT ":", DRAY_ARG(url->scheme));
    if (url->opaque.n > 0) {
        dray_buf_str_add(&out, url->opaque);
    } else {
        print_authority(&out, url);
        dray_str path = dray_celk8s_url_escaped_path(url, arena);
        if (path.n > 0 && path.p[0] != '/' && url->host.n > 0)
            dray_buf_putc(&out, '/');
        dray_buf_str_add(&out, path);
    }
    if (url->force_query || url->raw_query.n > 0)
        dray_buf_addf(&out, "?" DRAY_FMT, DRAY_ARG(url->raw_query));
    if (url->fragment.n > 0) {
        dray_buf_putc(&out, '#');
        escape(&out, url->fragment, FRAGMENT);
    }
    return dray_str_dup(arena, dray_buf_str(&out));
}
