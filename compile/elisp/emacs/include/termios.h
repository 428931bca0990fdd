/* termios.h: what the C library lacks of it.
   SPDX-License-Identifier: GPL-3.0-or-later; see NOTICE.  */
#ifndef WB_TERMIOS_H
#define WB_TERMIOS_H
#include <sys/types.h>
typedef unsigned char cc_t; typedef unsigned int speed_t; typedef unsigned int tcflag_t;
#define NCCS 32
struct termios { tcflag_t c_iflag,c_oflag,c_cflag,c_lflag; cc_t c_line; cc_t c_cc[NCCS]; speed_t __c_ispeed,__c_ospeed; };
#define VINTR 0
#define VQUIT 1
#define VERASE 2
#define VKILL 3
#define VEOF 4
#define VTIME 5
#define VMIN 6
#define VSWTC 7
#define VSTART 8
#define VSTOP 9
#define VSUSP 10
#define VEOL 11
#define VREPRINT 12
#define VDISCARD 13
#define VWERASE 14
#define VLNEXT 15
#define VEOL2 16
#define IGNBRK 1
#define BRKINT 2
#define IGNPAR 4
#define PARMRK 8
#define INPCK 16
#define ISTRIP 32
#define INLCR 64
#define IGNCR 128
#define ICRNL 256
#define IUCLC 512
#define IXON 1024
#define IXANY 2048
#define IXOFF 4096
#define OPOST 1
#define OLCUC 2
#define ONLCR 4
#define TAB3 0x1800
#define TABDLY 0x1800
#define NLDLY 0x100
#define CRDLY 0x600
#define BSDLY 0x2000
#define VTDLY 0x4000
#define FFDLY 0x8000
#define CSIZE 48
#define CS7 32
#define CS8 48
#define CSTOPB 64
#define CREAD 128
#define PARENB 256
#define PARODD 512
#define CLOCAL 2048
#define ISIG 1
#define ICANON 2
#define ECHO 8
#define ECHOE 16
#define ECHOK 32
#define ECHONL 64
#define NOFLSH 128
#define TOSTOP 256
#define IEXTEN 32768
#define TCSANOW 0
#define TCSADRAIN 1
#define TCSAFLUSH 2
#define TCIFLUSH 0
#define TCOFLUSH 1
#define TCIOFLUSH 2
#define TCOOFF 0
#define TCOON 1
#define B0 0
#define B9600 13
int tcgetattr(int,struct termios*); int tcsetattr(int,int,const struct termios*); int tcflush(int,int); int tcdrain(int); int tcflow(int,int); int tcsendbreak(int,int);
speed_t cfgetospeed(const struct termios*); speed_t cfgetispeed(const struct termios*); int cfsetospeed(struct termios*,speed_t); int cfsetispeed(struct termios*,speed_t); int cfsetspeed(struct termios*,speed_t);
#endif
