// A library for LD_PRELOAD that stands between a process and its disk, for the files below AISLE_SHIM_DIR alone.
//
// AISLE_SHIM_FAULT names a file. While it is there, it says in up to three words what fails: which calls (`read`,
// `write`, `sync`), how (`EIO`, `ENOSPC`, `short`, a write that stops half-way, or `stall` and milliseconds, for which the call
// takes longer and then succeeds) and whether `once`: then the first call that fails removes the file. As a disk does it, a sync that fails has written nothing.
//
// AISLE_SHIM_JOURNAL names a file to which everything that changes the disk is appended when it is done, so that the
// disk can be put together as a power cut would leave it (test/faults/power-cut-disk.ts). A record is a head and, after it,
// a path and bytes.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct head {
  // W write, S sync, R rename (the bytes are the new path), U unlink, T truncate, C create, M mkdir
  uint8_t op;
  // Of a write: it is on the disk when it returns.
  uint8_t synced;
  uint16_t path_length;
  uint32_t bytes_length;
  uint64_t inode;
  // Of a write: where; of a truncate: the new length; of a sync: the length of the journal when it began.
  uint64_t at;
};

static const char *folder, *fault_file;
static size_t folder_length;
static int journal = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (!real) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static int plain_open(const char *path, int flags, mode_t mode) {
  REAL(int, "open", const char *, int, ...);
  return real(path, flags, mode);
}

__attribute__((constructor)) static void begin(void) {
  folder = getenv("AISLE_SHIM_DIR");
  fault_file = getenv("AISLE_SHIM_FAULT");
  folder_length = folder ? strlen(folder) : 0;
  const char *name = getenv("AISLE_SHIM_JOURNAL");
  if (folder && name) journal = plain_open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int is_ours(const char *path) {
  return folder && strncmp(path, folder, folder_length) == 0 && (path[folder_length] == '/' || !path[folder_length]);
}

// The path of an open file that is ours; 0 for any other.
static int path_of(int fd, char *path) {
  if (!folder) return 0;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return is_ours(path);
}

// What is to happen to a call: 0 nothing, -1 it is cut short, else its errno.
static int fault_of(const char *call) {
  if (!fault_file) return 0;
  int fd = plain_open(fault_file, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return 0;
  char text[64];
  REAL(ssize_t, "read", int, void *, size_t);
  ssize_t length = real(fd, text, sizeof text - 1);
  close(fd);
  if (length <= 0) return 0;
  text[length] = 0;
  char which[16] = "", how[16] = "", often[16] = "";
  sscanf(text, "%15s %15s %15s", which, how, often);
  if (strcmp(which, call) != 0) return 0;
  if (strcmp(often, "once") == 0) {
    int (*remove_it)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "unlink");
    if (remove_it(fault_file) != 0) return 0; // another thread was faster
  }
  if (strncmp(how, "stall", 5) == 0) {
    struct timespec left = {atoi(how + 5) / 1000, atoi(how + 5) % 1000 * 1000000L};
    while (nanosleep(&left, &left) != 0);
    return 0;
  }
  return strcmp(how, "short") == 0 ? -1 : strcmp(how, "ENOSPC") == 0 ? ENOSPC : EIO;
}

static void note(uint8_t op, uint8_t synced, uint64_t inode, uint64_t at, const char *path, const void *bytes,
                 size_t length) {
  if (journal < 0) return;
  struct head head = {op, synced, (uint16_t)strlen(path), (uint32_t)length, inode, at};
  struct iovec parts[] = {{&head, sizeof head}, {(void *)path, head.path_length}, {(void *)bytes, length}};
  int before = errno;
  REAL(ssize_t, "writev", int, const struct iovec *, int);
  pthread_mutex_lock(&lock);
  if (real(journal, parts, 3) < 0) abort();
  pthread_mutex_unlock(&lock);
  errno = before;
}

static uint64_t inode_of(int fd) {
  struct stat found;
  return fstat(fd, &found) == 0 ? found.st_ino : 0;
}

static uint64_t journal_length(void) {
  struct stat found;
  return journal >= 0 && fstat(journal, &found) == 0 ? (uint64_t)found.st_size : 0;
}

// All writes come to this: the parts, and where (-1: at the file's own place).
static ssize_t write_parts(int fd, const struct iovec *parts, int count, off_t at) {
  REAL(ssize_t, "writev", int, const struct iovec *, int);
  static ssize_t (*real_at)(int, const struct iovec *, int, off_t);
  if (!real_at) real_at = (ssize_t(*)(int, const struct iovec *, int, off_t))dlsym(RTLD_NEXT, "pwritev");
  char path[PATH_MAX];
  if (!path_of(fd, path)) return at < 0 ? real(fd, parts, count) : real_at(fd, parts, count, at);
  off_t from = at < 0 ? lseek(fd, 0, SEEK_CUR) : at;
  size_t length = 0;
  for (int n = 0; n < count; n++) length += parts[n].iov_len;
  char *bytes = malloc(length ? length : 1), *next = bytes;
  for (int n = 0; n < count; n++) {
    memcpy(next, parts[n].iov_base, parts[n].iov_len);
    next += parts[n].iov_len;
  }
  int fault = fault_of("write");
  ssize_t done = -1;
  if (fault > 0) errno = fault;
  else {
    struct iovec whole = {bytes, fault < 0 ? length / 2 : length};
    done = at < 0 ? real(fd, &whole, 1) : real_at(fd, &whole, 1, at);
  }
  if (done > 0) {
    int before = errno;
    note('W', (fcntl(fd, F_GETFL) & O_DSYNC) != 0, inode_of(fd), (uint64_t)from, path, bytes, (size_t)done);
    errno = before;
  }
  int before = errno;
  free(bytes);
  errno = before;
  return done;
}

static ssize_t write_one(int fd, const void *bytes, size_t length, off_t at) {
  struct iovec part = {(void *)bytes, length};
  return write_parts(fd, &part, 1, at);
}

ssize_t write(int fd, const void *bytes, size_t length) { return write_one(fd, bytes, length, -1); }
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) { return write_one(fd, bytes, length, at); }
ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t at) { return write_one(fd, bytes, length, at); }
ssize_t writev(int fd, const struct iovec *parts, int count) { return write_parts(fd, parts, count, -1); }
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) { return write_parts(fd, parts, count, at); }
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t at) { return write_parts(fd, parts, count, at); }

// A read of ours fails where it should: 1, with errno.
static int read_fails(int fd) {
  char path[PATH_MAX];
  int fault = fault_file && path_of(fd, path) ? fault_of("read") : 0;
  if (fault) errno = fault > 0 ? fault : EIO;
  return fault != 0;
}

ssize_t read(int fd, void *bytes, size_t length) {
  REAL(ssize_t, "read", int, void *, size_t);
  return read_fails(fd) ? -1 : real(fd, bytes, length);
}

ssize_t pread(int fd, void *bytes, size_t length, off_t at) {
  REAL(ssize_t, "pread", int, void *, size_t, off_t);
  return read_fails(fd) ? -1 : real(fd, bytes, length, at);
}

ssize_t pread64(int fd, void *bytes, size_t length, off_t at) {
  REAL(ssize_t, "pread64", int, void *, size_t, off_t);
  return read_fails(fd) ? -1 : real(fd, bytes, length, at);
}

ssize_t preadv(int fd, const struct iovec *parts, int count, off_t at) {
  REAL(ssize_t, "preadv", int, const struct iovec *, int, off_t);
  return read_fails(fd) ? -1 : real(fd, parts, count, at);
}

ssize_t preadv64(int fd, const struct iovec *parts, int count, off_t at) {
  REAL(ssize_t, "preadv64", int, const struct iovec *, int, off_t);
  return read_fails(fd) ? -1 : real(fd, parts, count, at);
}

static int sync_with(int (*real)(int), int fd) {
  char path[PATH_MAX];
  if (!path_of(fd, path)) return real(fd);
  uint64_t covers = journal_length();
  int fault = fault_of("sync");
  if (fault) {
    errno = fault > 0 ? fault : EIO;
    return -1;
  }
  int result = real(fd);
  if (result == 0) note('S', 0, inode_of(fd), covers, path, "", 0);
  return result;
}

int fsync(int fd) {
  REAL(int, "fsync", int);
  return sync_with(real, fd);
}

int fdatasync(int fd) {
  REAL(int, "fdatasync", int);
  return sync_with(real, fd);
}

static int truncate_with(int (*real)(int, off_t), int fd, off_t length) {
  char path[PATH_MAX];
  int result = real(fd, length);
  if (result == 0 && path_of(fd, path)) note('T', 0, inode_of(fd), (uint64_t)length, path, "", 0);
  return result;
}

int ftruncate(int fd, off_t length) {
  REAL(int, "ftruncate", int, off_t);
  return truncate_with(real, fd, length);
}

int ftruncate64(int fd, off_t length) {
  REAL(int, "ftruncate64", int, off_t);
  return truncate_with(real, fd, length);
}

static int open_with(int (*real)(const char *, int, ...), const char *path, int flags, mode_t mode) {
  struct stat found;
  int is_new = (flags & O_CREAT) && is_ours(path) && stat(path, &found) != 0;
  int fd = real(path, flags, mode);
  if (fd >= 0 && is_new) note('C', 0, inode_of(fd), 0, path, "", 0);
  return fd;
}

static mode_t mode_in(int flags, va_list rest) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; }

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = mode_in(flags, rest);
  va_end(rest);
  REAL(int, "open", const char *, int, ...);
  return open_with(real, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = mode_in(flags, rest);
  va_end(rest);
  REAL(int, "open64", const char *, int, ...);
  return open_with(real, path, flags, mode);
}

int rename(const char *from, const char *to) {
  REAL(int, "rename", const char *, const char *);
  int result = real(from, to);
  if (result == 0 && is_ours(to)) note('R', 0, 0, 0, from, to, strlen(to));
  return result;
}

int unlink(const char *path) {
  REAL(int, "unlink", const char *);
  int result = real(path);
  if (result == 0 && is_ours(path)) note('U', 0, 0, 0, path, "", 0);
  return result;
}

int rmdir(const char *path) {
  REAL(int, "rmdir", const char *);
  int result = real(path);
  if (result == 0 && is_ours(path)) note('U', 0, 0, 0, path, "", 0);
  return result;
}

int mkdir(const char *path, mode_t mode) {
  REAL(int, "mkdir", const char *, mode_t);
  int result = real(path, mode);
  if (result == 0 && is_ours(path)) note('M', 0, 0, 0, path, "", 0);
  return result;
}
