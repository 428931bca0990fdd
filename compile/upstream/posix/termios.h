/* termios.h - there is no terminal. */
#ifndef WB_TERMIOS_H
#define WB_TERMIOS_H
struct termios {
	unsigned c_iflag, c_oflag, c_cflag, c_lflag;
	unsigned char c_cc[32];
};
#define ECHO 8
#define ICANON 2
#define TCSAFLUSH 2
#define VMIN 6
#define VTIME 5
static inline int tcgetattr(int fd, struct termios *to) { return -1; }
static inline int tcsetattr(int fd, int when, const struct termios *to) { return -1; }
#endif
