/* sys/vfs.h - what stat -f tells: there is one tree. */
#ifndef WB_VFS_H
#define WB_VFS_H
struct statfs {
	long f_type, f_bsize, f_frsize;
	unsigned long long f_blocks, f_bfree, f_bavail, f_files, f_ffree;
	struct { int __val[2]; } f_fsid;
	long f_namelen;
};
int statfs(const char *path, struct statfs *to);
#endif
