/* date.c - date: the sandbox's clock, or a given date, in the time zone of TZ. */
#include "box.h"

#include <ctype.h>
#include <getopt.h>
#include <sys/stat.h>
#include <time.h>

static int two(const char *s) { return (s[0] - '0') * 10 + s[1] - '0'; }

/* days_from_civil counts days from 1970-01-01 in the proleptic Gregorian calendar. */
static long long days_from_civil(long long y, int m, int d)
{
	y -= m <= 2;
	long long era = (y >= 0 ? y : y - 399) / 400, yoe = y - era * 400;
	long long doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1, doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
	return era * 146097 + doe - 719468;
}

/* zone_at is how far local time is ahead of UTC at a moment, and what it is called
 * then. The shell has the zones. */
static long zone_at(time_t t, char name[16])
{
	const char *zone = getenv("TZ");
	strcpy(name, "UTC");
	if (!zone || !*zone || !strcmp(zone, "UTC") || !strcmp(zone, "UTC0"))
		return 0;
	char format[64];
	snprintf(format, sizeof format, "printf '%%(%%z %%Z)T' %lld", (long long)t);
	char *words[] = {"sh", "-c", format, NULL};
	Text said = {0};
	text_reserve(&said, 0);
	int ahead;
	if (capture_command(words, NULL, &said) != 0 || sscanf(said.s, "%d %15s", &ahead, name) != 2)
		return 0;
	return ahead / 100 * 3600L + ahead % 100 * 60L;
}

static const char *unit_names[] = {"second", "minute", "hour", "day", "week", "fortnight", "month", "year", "sec", "min"};

/* apply_relative handles "+3 days", "2 weeks ago", "next month", "yesterday". */
static bool apply_relative(const char *s, struct tm *tm, long long *secs, bool *utc)
{
	while (*s) {
		while (isspace((unsigned char)*s) || *s == ',')
			s++;
		if (!*s)
			return true;
		long long n = 1;
		if (!strncmp(s, "now", 3) || !strncmp(s, "today", 5)) {
			s += *s == 'n' ? 3 : 5;
			continue;
		}
		if (!strncmp(s, "yesterday", 9)) {
			tm->tm_mday--;
			s += 9;
			continue;
		}
		if (!strncmp(s, "tomorrow", 8)) {
			tm->tm_mday++;
			s += 8;
			continue;
		}
		if (!strncmp(s, "UTC", 3) || *s == 'Z') {
			s += *s == 'Z' ? 1 : 3;
			*utc = true;
			continue;
		}
		if (!strncmp(s, "next ", 5))
			s += 5;
		else if (!strncmp(s, "last ", 5)) {
			n = -1;
			s += 5;
		} else if (*s == '+' || *s == '-' || isdigit((unsigned char)*s)) {
			int sign = 1;
			while (*s == '+' || *s == '-' || isspace((unsigned char)*s))
				sign = *s++ == '-' ? -1 : sign;
			char *end;
			n = sign * strtoll(s, &end, 10);
			if (end == s)
				return false;
			s = end;
		}
		while (isspace((unsigned char)*s))
			s++;
		int unit = -1;
		for (int i = 0; i < 10; i++)
			if (!strncmp(s, unit_names[i], strlen(unit_names[i]))) {
				unit = i;
				s += strlen(unit_names[i]);
				break;
			}
		if (unit < 0)
			return false;
		s += *s == 's';
		const char *look = s;
		while (isspace((unsigned char)*look))
			look++;
		if (!strncmp(look, "ago", 3)) {
			n = -n;
			s = look + 3;
		}
		switch (unit) {
		case 0: case 8: *secs += n; break;
		case 1: case 9: *secs += 60 * n; break;
		case 2: *secs += 3600 * n; break;
		case 3: tm->tm_mday += (int)n; break;
		case 4: tm->tm_mday += (int)n * 7; break;
		case 5: tm->tm_mday += (int)n * 14; break;
		case 6: tm->tm_mon += (int)n; break;
		case 7: tm->tm_year += (int)n; break;
		}
	}
	return true;
}

static time_t utc_time(struct tm *tm)
{
	long long month = tm->tm_mon, year = tm->tm_year + 1900LL;
	year += month >= 0 ? month / 12 : -((11 - month) / 12);
	month = ((month % 12) + 12) % 12;
	return (time_t)((days_from_civil(year, (int)month + 1, 1) + tm->tm_mday - 1) * 86400LL + tm->tm_hour * 3600LL +
			tm->tm_min * 60LL + tm->tm_sec);
}

/* parse_date reads @SECONDS, ISO 8601 dates and times, and relative words. */
static bool parse_date(const char *s, time_t now, time_t *result)
{
	while (isspace((unsigned char)*s))
		s++;
	if (*s == '@') {
		char *end;
		*result = (time_t)strtoll(s + 1, &end, 10);
		if (*end == '.')
			strtoll(end + 1, &end, 10);
		return *end == 0;
	}
	struct tm tm;
	char name[16];
	time_t local = now + zone_at(now, name);
	gmtime_r(&local, &tm);
	long long offset = 0;
	bool utc = false;
	int y, mo, d, used = 0;
	if ((sscanf(s, "%4d-%2d-%2d%n", &y, &mo, &d, &used) == 3 && used >= 8) ||
	    (sscanf(s, "%4d/%2d/%2d%n", &y, &mo, &d, &used) == 3 && used >= 8) ||
	    (strspn(s, "0123456789") == 8 && sscanf(s, "%4d%2d%2d%n", &y, &mo, &d, &used) == 3)) {
		if (mo < 1 || mo > 12 || d < 1 || d > 31)
			return false;
		tm.tm_year = y - 1900;
		tm.tm_mon = mo - 1;
		tm.tm_mday = d;
		tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
		s += used;
		if (*s == 'T' && isdigit((unsigned char)s[1]))
			s++;
	}
	while (isspace((unsigned char)*s))
		s++;
	if (isdigit((unsigned char)s[0]) && strspn(s, "0123456789") <= 2 && s[strspn(s, "0123456789")] == ':') {
		int h = 0, mi = 0, sec = 0;
		sscanf(s, "%2d:%2d%n", &h, &mi, &used);
		s += used;
		if (*s == ':' && isdigit((unsigned char)s[1]) && isdigit((unsigned char)s[2])) {
			sec = two(s + 1);
			s += 3;
			if (*s == '.')
				s += 1 + strspn(s + 1, "0123456789");
		}
		if (h > 24 || mi > 59 || sec > 60)
			return false;
		tm.tm_hour = h;
		tm.tm_min = mi;
		tm.tm_sec = sec;
		if ((*s == '+' || *s == '-') && isdigit((unsigned char)s[1]) && isdigit((unsigned char)s[2])) {
			int sign = *s == '-' ? -1 : 1, oh = two(s + 1), om = 0;
			s += 3;
			if (*s == ':')
				s++;
			if (isdigit((unsigned char)s[0]) && isdigit((unsigned char)s[1])) {
				om = two(s);
				s += 2;
			}
			offset = sign * (oh * 3600LL + om * 60LL);
			utc = true;
		}
	}
	long long secs = 0;
	if (!apply_relative(s, &tm, &secs, &utc))
		return false;
	time_t t = utc_time(&tm) - (time_t)offset;
	if (!utc) /* the zone of a local time is that of the moment it means */
		t -= zone_at(t - zone_at(t, name), name);
	*result = t + (time_t)secs;
	return true;
}

int date_main(int argc, char **argv)
{
	static const struct option longs[] = {{"date", 1, 0, 'd'}, {"utc", 0, 0, 'u'}, {"universal", 0, 0, 'u'},
					      {"iso-8601", 2, 0, 'I'}, {"rfc-3339", 1, 0, 1}, {"rfc-email", 0, 0, 'R'},
					      {"reference", 1, 0, 'r'}, {0, 0, 0, 0}};
	const char *format = "%a %b %e %H:%M:%S %Z %Y";
	time_t now = time(NULL), t = now;
	for (int c; (c = getopt_long(argc, argv, "d:uI::Rr:", longs, NULL)) != -1;)
		switch (c) {
		case 'd':
			if (!parse_date(optarg, now, &t))
				die(1, "invalid date '%s'", optarg);
			break;
		case 'u': setenv("TZ", "UTC", 1); break;
		case 'I':
			format = !optarg || !strcmp(optarg, "date") ? "%Y-%m-%d"
				 : !strcmp(optarg, "hours")         ? "%Y-%m-%dT%H%:z"
				 : !strcmp(optarg, "minutes")       ? "%Y-%m-%dT%H:%M%:z"
								    : "%Y-%m-%dT%H:%M:%S%:z";
			break;
		case 1: format = !strcmp(optarg, "date") ? "%Y-%m-%d" : "%Y-%m-%d %H:%M:%S%:z"; break;
		case 'R': format = "%a, %d %b %Y %H:%M:%S %z"; break;
		case 'r': {
			struct stat st;
			if (stat(optarg, &st) < 0)
				die_errno(1, optarg);
			t = st.st_mtime;
			break;
		}
		default: usage_error("bad option");
		}
	if (optind < argc) {
		if (argv[optind][0] != '+')
			die(1, "the clock cannot be set here");
		format = argv[optind] + 1;
	}
	struct tm tm;
	char name[16];
	long ahead = zone_at(t, name);
	time_t local = t + ahead;
	gmtime_r(&local, &tm);
	int hours = (int)(ahead / 3600), minutes = (int)labs(ahead) / 60 % 60;
	char sign = ahead < 0 ? '-' : '+';
	/* strftime knows neither %N nor the zone. */
	Text f = {0};
	text_reserve(&f, 0);
	for (const char *p = format; *p; p++) {
		if (*p != '%' || !p[1]) {
			text_char(&f, *p);
			continue;
		}
		p++;
		if (*p == 'N')
			text_str(&f, "000000000");
		else if (*p == '3' && p[1] == 'N') {
			text_str(&f, "000");
			p++;
		} else if (*p == 'Z')
			text_str(&f, name);
		else if (*p == 'z')
			text_printf(&f, "%c%02d%02d", sign, abs(hours), minutes);
		else if (*p == ':' && p[1] == 'z') {
			text_printf(&f, "%c%02d:%02d", sign, abs(hours), minutes);
			p++;
		} else if (*p == 's')
			text_printf(&f, "%lld", (long long)t);
		else if (*p == 'k')
			text_printf(&f, "%2d", tm.tm_hour);
		else if (*p == 'l')
			text_printf(&f, "%2d", tm.tm_hour % 12 ? tm.tm_hour % 12 : 12);
		else if (*p == 'P')
			text_str(&f, tm.tm_hour < 12 ? "am" : "pm");
		else if (*p == 'q')
			text_printf(&f, "%d", tm.tm_mon / 3 + 1);
		else if (*p == '-' && p[1]) { /* no padding */
			char one[3] = {'%', *++p, 0}, buf[64];
			strftime(buf, sizeof buf, one, &tm);
			const char *b = buf;
			while ((*b == '0' || *b == ' ') && b[1])
				b++;
			text_str(&f, b);
		} else {
			text_char(&f, '%');
			text_char(&f, *p);
		}
	}
	if (f.len == 0) {
		out_char('\n');
		return 0;
	}
	size_t room = f.len * 16 + 256;
	char *line = xmalloc(room);
	size_t n = strftime(line, room, f.s, &tm);
	out_line(line, n);
	return 0;
}
