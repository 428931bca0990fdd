/* sums.c - md5sum sha1sum sha224sum sha256sum sha384sum sha512sum cksum base64
 * base32: digests (RFC 1321, FIPS 180-4) and encodings (RFC 4648). */
#include "box.h"
#include "tools.h"

#include <ctype.h>
#include <getopt.h>

/* A Hash takes bytes in blocks; h holds its state in 32 or 64 bit words. */
typedef struct Hash {
	uint64_t h[8];
	unsigned char block[128];
	uint64_t total;
	size_t used, block_size, digest_size;
	bool little_endian;
	void (*mix)(struct Hash *s);
} Hash;

static uint32_t rol(uint32_t x, int n) { return x << n | x >> (32 - n); }
static uint32_t ror(uint32_t x, int n) { return x >> n | x << (32 - n); }
static uint64_t ror64(uint64_t x, int n) { return x >> n | x << (64 - n); }

static uint32_t load32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void md5_mix(Hash *s)
{
	static const unsigned char turns[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};
	/* floor(2^32 * |sin(i + 1)|) */
	static const uint32_t k[64] = {
		0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
		0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
		0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
		0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
		0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
		0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
		0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
		0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
	uint32_t m[16], a = (uint32_t)s->h[0], b = (uint32_t)s->h[1], c = (uint32_t)s->h[2], d = (uint32_t)s->h[3];
	for (int i = 0; i < 16; i++)
		m[i] = (uint32_t)s->block[4 * i + 3] << 24 | (uint32_t)s->block[4 * i + 2] << 16 |
		       (uint32_t)s->block[4 * i + 1] << 8 | s->block[4 * i];
	for (int i = 0; i < 64; i++) {
		uint32_t f;
		int g;
		switch (i / 16) {
		case 0: f = (b & c) | (~b & d); g = i; break;
		case 1: f = (d & b) | (~d & c); g = (5 * i + 1) & 15; break;
		case 2: f = b ^ c ^ d; g = (3 * i + 5) & 15; break;
		default: f = c ^ (b | ~d); g = (7 * i) & 15;
		}
		uint32_t t = d;
		d = c;
		c = b;
		b += rol(a + f + k[i] + m[g], turns[i / 16 * 4 + i % 4]);
		a = t;
	}
	s->h[0] += a;
	s->h[1] += b;
	s->h[2] += c;
	s->h[3] += d;
}

static void sha1_mix(Hash *s)
{
	uint32_t w[80], v[5];
	for (int i = 0; i < 80; i++)
		w[i] = i < 16 ? load32(s->block + 4 * i) : rol(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	for (int i = 0; i < 5; i++)
		v[i] = (uint32_t)s->h[i];
	for (int i = 0; i < 80; i++) {
		uint32_t f, k;
		if (i < 20)
			f = (v[1] & v[2]) | (~v[1] & v[3]), k = 0x5A827999;
		else if (i < 40)
			f = v[1] ^ v[2] ^ v[3], k = 0x6ED9EBA1;
		else if (i < 60)
			f = (v[1] & v[2]) | (v[1] & v[3]) | (v[2] & v[3]), k = 0x8F1BBCDC;
		else
			f = v[1] ^ v[2] ^ v[3], k = 0xCA62C1D6;
		uint32_t t = rol(v[0], 5) + f + v[4] + k + w[i];
		v[4] = v[3];
		v[3] = v[2];
		v[2] = rol(v[1], 30);
		v[1] = v[0];
		v[0] = t;
	}
	for (int i = 0; i < 5; i++)
		s->h[i] += v[i];
}

/* The constants of SHA-2: fractional parts of the cube roots of the first 80
 * primes; SHA-256 uses the upper halves of the first 64. */
static const uint64_t sha2_k[80] = {
	0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538,
	0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe,
	0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235,
	0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
	0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5, 0x983e5152ee66dfab,
	0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
	0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed,
	0x53380d139d95b3df, 0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
	0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218,
	0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8, 0x19a4c116b8d2d0c8, 0x1e376c085141ab53,
	0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373,
	0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
	0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c,
	0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6,
	0x113f9804bef90dae, 0x1b710b35131c471b, 0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc,
	0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817};

static void sha256_mix(Hash *s)
{
	uint32_t w[64], v[8];
	for (int i = 0; i < 64; i++) {
		if (i < 16) {
			w[i] = load32(s->block + 4 * i);
			continue;
		}
		uint32_t a = ror(w[i - 15], 7) ^ ror(w[i - 15], 18) ^ w[i - 15] >> 3;
		uint32_t b = ror(w[i - 2], 17) ^ ror(w[i - 2], 19) ^ w[i - 2] >> 10;
		w[i] = w[i - 16] + a + w[i - 7] + b;
	}
	for (int i = 0; i < 8; i++)
		v[i] = (uint32_t)s->h[i];
	for (int i = 0; i < 64; i++) {
		uint32_t t1 = v[7] + (ror(v[4], 6) ^ ror(v[4], 11) ^ ror(v[4], 25)) + ((v[4] & v[5]) ^ (~v[4] & v[6])) +
			      (uint32_t)(sha2_k[i] >> 32) + w[i];
		uint32_t t2 = (ror(v[0], 2) ^ ror(v[0], 13) ^ ror(v[0], 22)) +
			      ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
		memmove(v + 1, v, 7 * sizeof *v);
		v[4] += t1;
		v[0] = t1 + t2;
	}
	for (int i = 0; i < 8; i++)
		s->h[i] += v[i];
}

static void sha512_mix(Hash *s)
{
	uint64_t w[80], v[8];
	for (int i = 0; i < 80; i++) {
		if (i < 16) {
			w[i] = (uint64_t)load32(s->block + 8 * i) << 32 | load32(s->block + 8 * i + 4);
			continue;
		}
		uint64_t a = ror64(w[i - 15], 1) ^ ror64(w[i - 15], 8) ^ w[i - 15] >> 7;
		uint64_t b = ror64(w[i - 2], 19) ^ ror64(w[i - 2], 61) ^ w[i - 2] >> 6;
		w[i] = w[i - 16] + a + w[i - 7] + b;
	}
	memcpy(v, s->h, sizeof v);
	for (int i = 0; i < 80; i++) {
		uint64_t t1 = v[7] + (ror64(v[4], 14) ^ ror64(v[4], 18) ^ ror64(v[4], 41)) +
			      ((v[4] & v[5]) ^ (~v[4] & v[6])) + sha2_k[i] + w[i];
		uint64_t t2 = (ror64(v[0], 28) ^ ror64(v[0], 34) ^ ror64(v[0], 39)) +
			      ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
		memmove(v + 1, v, 7 * sizeof *v);
		v[4] += t1;
		v[0] = t1 + t2;
	}
	for (int i = 0; i < 8; i++)
		s->h[i] += v[i];
}

typedef struct {
	const char *tool, *tag;
	Hash start;
} Digest;

static const Digest digests[] = {
	{"md5sum", "MD5",
	 {.h = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}, .block_size = 64, .digest_size = 16, .little_endian = true, .mix = md5_mix}},
	{"sha1sum", "SHA1",
	 {.h = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}, .block_size = 64, .digest_size = 20, .mix = sha1_mix}},
	{"sha224sum", "SHA224",
	 {.h = {0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4},
	  .block_size = 64, .digest_size = 28, .mix = sha256_mix}},
	{"sha256sum", "SHA256",
	 {.h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
	  .block_size = 64, .digest_size = 32, .mix = sha256_mix}},
	{"sha384sum", "SHA384",
	 {.h = {0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939, 0x67332667ffc00b31,
		0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4},
	  .block_size = 128, .digest_size = 48, .mix = sha512_mix}},
	{"sha512sum", "SHA512",
	 {.h = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1, 0x510e527fade682d1,
		0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179},
	  .block_size = 128, .digest_size = 64, .mix = sha512_mix}},
};

static void hash_add(Hash *s, const unsigned char *p, size_t n)
{
	s->total += n;
	while (n > 0) {
		size_t k = s->block_size - s->used;
		if (k > n)
			k = n;
		memcpy(s->block + s->used, p, k);
		s->used += k;
		p += k;
		n -= k;
		if (s->used == s->block_size) {
			s->mix(s);
			s->used = 0;
		}
	}
}

static void hash_end(Hash *s, char hex[129])
{
	uint64_t bits = s->total * 8;
	size_t length_at = s->block_size - s->block_size / 8;
	static const unsigned char one = 0x80, zero = 0;
	hash_add(s, &one, 1);
	while (s->used != length_at)
		hash_add(s, &zero, 1);
	memset(s->block + length_at, 0, s->block_size - length_at);
	for (int i = 0; i < 8; i++) {
		size_t at = s->little_endian ? length_at + (size_t)i : s->block_size - 1 - (size_t)i;
		s->block[at] = (unsigned char)(bits >> 8 * i);
	}
	s->mix(s);
	size_t word = s->block_size / 16;
	for (size_t i = 0; i < s->digest_size; i++) {
		size_t shift = s->little_endian ? i % word : word - 1 - i % word;
		sprintf(hex + 2 * i, "%02x", (unsigned)(s->h[i / word] >> 8 * shift & 255));
	}
}

static bool sum_file(const Digest *d, const char *path, char hex[129])
{
	Reader r;
	if (!reader_open(&r, path))
		return false;
	Hash s = d->start;
	unsigned char chunk[16384];
	ssize_t n;
	while ((n = reader_read(&r, chunk, sizeof chunk)) > 0)
		hash_add(&s, chunk, (size_t)n);
	hash_end(&s, hex);
	reader_close(&r);
	return !r.failed;
}

static struct {
	bool check, quiet, status, tag, ignore_missing;
	int end;
} su = {.end = '\n'};

/* check_line verifies "HEX  name" or "SHA256 (name) = HEX": 0 fine, 1 wrong,
 * 2 unreadable, 3 not such a line. */
static int check_line(const Digest *d, char *s)
{
	size_t want = d->start.digest_size * 2;
	char hex[129], *name, *expected = s, *open = strstr(s, " (");
	if (open && !strncmp(s, d->tag, strlen(d->tag))) {
		char *close = strstr(s, ") = ");
		if (!close)
			return 3;
		*close = 0;
		name = open + 2;
		expected = close + 4;
	} else {
		if (strlen(s) < want + 3 || s[want] != ' ')
			return 3;
		name = s + want + 2;
		s[want] = 0;
	}
	if (strspn(expected, "0123456789abcdefABCDEF") != want)
		return 3;
	struct stat st;
	if (su.ignore_missing && stat(name, &st) < 0)
		return 0;
	if (!sum_file(d, name, hex)) {
		if (!su.status)
			out_printf("%s: FAILED open or read\n", name);
		return 2;
	}
	for (char *p = expected; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	bool same = !strcmp(hex, expected);
	if (!su.status && !(same && su.quiet))
		out_printf("%s: %s\n", name, same ? "OK" : "FAILED");
	return !same;
}

static int check_file(const Digest *d, const char *path)
{
	Reader r;
	if (!reader_open(&r, path))
		return 1;
	unsigned bad[4] = {0}, good = 0;
	char *s;
	size_t n;
	while (reader_record(&r, '\n', &s, &n, NULL)) {
		int k = check_line(d, s);
		bad[k]++;
		good += k != 3;
	}
	reader_close(&r);
	if (!good) {
		warn("%s: no properly formatted %s checksum lines found", path, d->tag);
		return 1;
	}
	out_flush();
	if (bad[3] && !su.status)
		warn("WARNING: %u line%s improperly formatted", bad[3], bad[3] == 1 ? " is" : "s are");
	if (bad[2] && !su.status)
		warn("WARNING: %u listed file%s could not be read", bad[2], bad[2] == 1 ? "" : "s");
	if (bad[1] && !su.status)
		warn("WARNING: %u computed checksum%s did NOT match", bad[1], bad[1] == 1 ? "" : "s");
	return bad[1] || bad[2];
}

int sum_main(int argc, char **argv)
{
	static const struct option longs[] = {{"check", 0, 0, 'c'}, {"quiet", 0, 0, 'q'}, {"status", 0, 0, 1}, {"tag", 0, 0, 2},
					      {"binary", 0, 0, 'b'}, {"text", 0, 0, 't'}, {"zero", 0, 0, 'z'},
					      {"ignore-missing", 0, 0, 3}, {0, 0, 0, 0}};
	const Digest *d = digests;
	while (strcmp(d->tool, tool))
		d++;
	char mark = ' ';
	for (int c; (c = getopt_long(argc, argv, "cbtqzw", longs, NULL)) != -1;)
		switch (c) {
		case 'c': su.check = true; break;
		case 'q': su.quiet = true; break;
		case 'b': mark = '*'; break;
		case 't': mark = ' '; break;
		case 'z': su.end = 0; break;
		case 'w': break;
		case 1: su.status = true; break;
		case 2: su.tag = true; break;
		case 3: su.ignore_missing = true; break;
		default: usage_error("bad option");
		}
	static char *none[] = {"-", NULL};
	char **names = optind < argc ? argv + optind : none;
	int status = 0;
	for (; *names; names++) {
		char hex[129];
		if (su.check)
			status |= check_file(d, *names);
		else if (!sum_file(d, *names, hex))
			status = 1;
		else if (su.tag)
			out_printf("%s (%s) = %s%c", d->tag, *names, hex, su.end);
		else
			out_printf("%s %c%s%c", hex, mark, *names, su.end);
	}
	return status;
}

/* ---- cksum ---- */

int cksum_main(int argc, char **argv)
{
	uint32_t table[256];
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i << 24;
		for (int k = 0; k < 8; k++)
			c = c & 0x80000000 ? c << 1 ^ 0x04C11DB7 : c << 1;
		table[i] = c;
	}
	static char *none[] = {"-", NULL};
	char **names = argc > 1 ? argv + 1 : none;
	int status = 0;
	for (; *names; names++) {
		Reader r;
		if (!reader_open(&r, *names)) {
			status = 1;
			continue;
		}
		uint32_t crc = 0;
		unsigned long long total = 0;
		int c;
		while ((c = reader_byte(&r)) != EOF) {
			crc = crc << 8 ^ table[(crc >> 24 ^ (uint32_t)c) & 255];
			total++;
		}
		for (unsigned long long n = total; n; n >>= 8)
			crc = crc << 8 ^ table[(crc >> 24 ^ (uint32_t)n) & 255];
		out_printf(argc > 1 ? "%u %llu %s\n" : "%u %llu\n", ~crc, total, *names);
		reader_close(&r);
	}
	return status;
}

/* ---- base64, base32 ---- */

static const char base64_letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char base32_letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

int base_main(int argc, char **argv)
{
	static const struct option longs[] = {{"decode", 0, 0, 'd'}, {"ignore-garbage", 0, 0, 'i'}, {"wrap", 1, 0, 'w'}, {0, 0, 0, 0}};
	bool decode = false, ignore = false, is32 = !strcmp(tool, "base32");
	long long wrap = 76, column = 0;
	for (int c; (c = getopt_long(argc, argv, "dDiw:", longs, NULL)) != -1;)
		switch (c) {
		case 'd': case 'D': decode = true; break;
		case 'i': ignore = true; break;
		case 'w': wrap = parse_int(optarg, "wrap size"); break;
		default: usage_error("bad option");
		}
	require_args(argc, optind, 0, 1);
	Reader r;
	if (!reader_open(&r, optind < argc ? argv[optind] : "-"))
		return 1;
	const char *letters = is32 ? base32_letters : base64_letters;
	int bits = is32 ? 5 : 6, group = is32 ? 8 : 4, have = 0, count = 0, c;
	uint64_t acc = 0;
	if (decode) {
		bool padding = false;
		while ((c = reader_byte(&r)) != EOF) {
			if (c == '\n')
				continue;
			const char *at = c ? strchr(letters, c) : NULL;
			if (c == '=') {
				padding = true;
				count++;
				if (count % group == 0) {
					padding = false;
					have = 0;
					acc = 0;
				}
				continue;
			}
			if (!at || padding) {
				if (ignore && !padding)
					continue;
				out_flush();
				die(1, "invalid input");
			}
			acc = acc << bits | (uint64_t)(at - letters);
			have += bits;
			count++;
			if (have >= 8) {
				have -= 8;
				out_char((int)(acc >> have & 255));
			}
			acc &= ((uint64_t)1 << have) - 1;
		}
		if (count % group) {
			out_flush();
			die(1, "invalid input");
		}
		return 0;
	}
#define PUT(letter)                                                            \
	do {                                                                   \
		if (wrap && column == wrap) {                                  \
			out_char('\n');                                        \
			column = 0;                                            \
		}                                                              \
		out_char(letter);                                              \
		column++;                                                      \
		count++;                                                       \
	} while (0)
	while ((c = reader_byte(&r)) != EOF) {
		acc = acc << 8 | (uint64_t)c;
		have += 8;
		while (have >= bits) {
			have -= bits;
			PUT(letters[acc >> have & ((1u << bits) - 1)]);
		}
		acc &= ((uint64_t)1 << have) - 1;
	}
	if (have)
		PUT(letters[acc << (bits - have) & ((1u << bits) - 1)]);
	while (count % group)
		PUT('=');
	if (wrap && column)
		out_char('\n');
	return r.failed;
#undef PUT
}
