#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "Switches.h"

#include <errno.h>

#ifndef __linux__

struct gcdlab_switches *gcdlab_switches_open(int process, bool follows) {
  (void)process, (void)follows;
  errno = ENOSYS;
  return 0;
}
void gcdlab_switches_collect(struct gcdlab_switches *switches) { (void)switches; }
void gcdlab_switches_stop(struct gcdlab_switches *switches) { (void)switches; }
const struct gcdlab_switch *gcdlab_switches_all(struct gcdlab_switches *switches, size_t *count) {
  (void)switches;
  *count = 0;
  return 0;
}
void gcdlab_switches_close(struct gcdlab_switches *switches) { (void)switches; }

#else

#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// The kernel reports each thread that begins or stops running on a core (perf_event_open(2), records of switches and of
// tasks). Each core has its own ring buffer. The times are those of the kernel's monotonic clock.

enum { MOST_CORES = 1024, MOST_RECORDS = 4 << 20 };

struct ring {
  int descriptor;
  struct perf_event_mmap_page *page;
  size_t size;
  bool has_ended;
};

struct gcdlab_switches {
  // The identifier of the recorded process, or 0 if its descendants are recorded as well.
  int process;
  int stop;
  int cores;
  struct ring rings[MOST_CORES];
  struct gcdlab_switch *records;
  size_t count, room;
  uint32_t refused;
};

// The fields at the end of every record of the kernel.
struct trailer {
  uint32_t process, thread;
  uint64_t time;
  uint32_t core, unused;
};

static void add(struct gcdlab_switches *switches, struct gcdlab_switch record) {
  if (switches->count == switches->room) {
    size_t room = switches->room ? switches->room * 2 : 4096;
    struct gcdlab_switch *grown = room > MOST_RECORDS ? NULL : realloc(switches->records, room * sizeof *grown);
    // The last record reports the number of records that were lost.
    if (!grown) {
      struct gcdlab_switch *last = &switches->records[switches->count - 1];
      if (switches->refused++ == 0) *last = (struct gcdlab_switch){.time = last->time, .kind = GCDLAB_SWITCH_LOST};
      last->count = switches->refused + 1;
      return;
    }
    switches->records = grown;
    switches->room = room;
  }
  switches->records[switches->count++] = record;
}

static void drain(struct gcdlab_switches *switches, struct ring *ring) {
  uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE), tail = ring->page->data_tail;
  const char *data = (const char *)ring->page + ring->page->data_offset;
  while (tail < head) {
    // A record may wrap around the end of the ring.
    char record[512];
    struct perf_event_header header;
    for (size_t i = 0; i < sizeof header; i++) ((char *)&header)[i] = data[(tail + i) % ring->size];
    if (header.size < sizeof header || header.size > sizeof record) break;
    for (size_t i = 0; i < header.size; i++) record[i] = data[(tail + i) % ring->size];
    tail += header.size;
    struct trailer trailer;
    memcpy(&trailer, record + header.size - sizeof trailer, sizeof trailer);
    struct gcdlab_switch found = {.time = trailer.time, .thread = (int32_t)trailer.thread,
                                  .process = (int32_t)trailer.process, .core = (uint16_t)trailer.core};
    uint32_t words[4];
    memcpy(words, record + sizeof header, sizeof words);
    switch (header.type) {
      case PERF_RECORD_SWITCH:
        if (switches->process && (int)trailer.process != switches->process) continue;
        found.kind = !(header.misc & PERF_RECORD_MISC_SWITCH_OUT) ? GCDLAB_SWITCH_IN
                     : header.misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? GCDLAB_SWITCH_PREEMPTED
                                                                         : GCDLAB_SWITCH_OUT;
        break;
      case PERF_RECORD_FORK:
      case PERF_RECORD_EXIT:
        if (switches->process && (int)words[0] != switches->process) continue;
        found.process = (int32_t)words[0];
        found.thread = (int32_t)words[2];
        found.kind = header.type == PERF_RECORD_FORK ? GCDLAB_SWITCH_BORN : GCDLAB_SWITCH_GONE;
        break;
      case PERF_RECORD_LOST: {
        uint64_t lost;
        memcpy(&lost, record + sizeof header + 8, sizeof lost);
        found.kind = GCDLAB_SWITCH_LOST;
        found.count = (uint32_t)lost;
        break;
      }
      default: continue;
    }
    add(switches, found);
  }
  __atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

struct gcdlab_switches *gcdlab_switches_open(int process, bool follows) {
  cpu_set_t allowed;
  if (sched_getaffinity(process, sizeof allowed, &allowed) != 0) return NULL;
  struct gcdlab_switches *switches = calloc(1, sizeof *switches);
  if (!switches) return NULL;
  switches->process = follows ? 0 : process;
  switches->stop = eventfd(0, EFD_CLOEXEC);
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  int error = switches->stop < 0 ? errno : 0;
  for (int core = 0; core < CPU_SETSIZE && core < MOST_CORES && !error; core++) {
    struct ring *ring = &switches->rings[switches->cores];
    ring->descriptor = -1;
    if (!CPU_ISSET(core, &allowed)) continue;
    struct perf_event_attr attributes = {
        .size = sizeof attributes, .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
        .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU, .sample_id_all = 1, .context_switch = 1,
        .task = 1, .inherit = 1, .exclude_kernel = 1, .exclude_hv = 1, .use_clockid = 1, .clockid = CLOCK_MONOTONIC,
        .watermark = 1};
    // The ring is as large as the limit of locked memory allows: at most 256 pages for each core.
    for (size_t pages = 256; pages >= 8; pages /= 2) {
      ring->size = pages * page;
      attributes.wakeup_watermark = (uint32_t)ring->size / 2;
      ring->descriptor = (int)syscall(SYS_perf_event_open, &attributes, process, core, -1, PERF_FLAG_FD_CLOEXEC);
      if (ring->descriptor < 0) break;
      ring->page = mmap(NULL, ring->size + page, PROT_READ | PROT_WRITE, MAP_SHARED, ring->descriptor, 0);
      if (ring->page != MAP_FAILED) break;
      error = errno;
      close(ring->descriptor);
      ring->descriptor = -1;
    }
    if (ring->descriptor < 0) {
      if (!error) error = errno;
    } else {
      error = 0;
      switches->cores++;
    }
  }
  if (!error) return switches;
  gcdlab_switches_close(switches);
  errno = error;
  return NULL;
}

void gcdlab_switches_collect(struct gcdlab_switches *switches) {
  struct pollfd *waits = calloc((size_t)switches->cores + 1, sizeof *waits);
  bool stops = false;
  while (!stops) {
    if (waits) {
      for (int i = 0; i < switches->cores; i++)
        waits[i] = (struct pollfd){.fd = switches->rings[i].page ? switches->rings[i].descriptor : -1, .events = POLLIN};
      waits[switches->cores] = (struct pollfd){.fd = switches->stop, .events = POLLIN};
      // The ring of a process that has ended stays readable forever, so the thread no longer waits for this ring.
      for (int i = 0; i < switches->cores; i++)
        if (switches->rings[i].has_ended) waits[i].fd = -1;
      if (poll(waits, (nfds_t)switches->cores + 1, -1) < 0 && errno == EINTR) continue;
      stops = waits[switches->cores].revents != 0;
      for (int i = 0; i < switches->cores; i++)
        if (waits[i].revents & POLLHUP) switches->rings[i].has_ended = true;
    } else {
      uint64_t word;
      if (read(switches->stop, &word, sizeof word) < 0 && errno == EINTR) continue;
      stops = true;
    }
    for (int i = 0; i < switches->cores; i++) drain(switches, &switches->rings[i]);
  }
  free(waits);
}

void gcdlab_switches_stop(struct gcdlab_switches *switches) {
  uint64_t one = 1;
  while (write(switches->stop, &one, sizeof one) < 0 && errno == EINTR) {}
}

const struct gcdlab_switch *gcdlab_switches_all(struct gcdlab_switches *switches, size_t *count) {
  *count = switches->count;
  return switches->records;
}

void gcdlab_switches_close(struct gcdlab_switches *switches) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  for (int i = 0; i < switches->cores; i++) {
    munmap(switches->rings[i].page, switches->rings[i].size + page);
    close(switches->rings[i].descriptor);
  }
  if (switches->stop >= 0) close(switches->stop);
  free(switches->records);
  free(switches);
}

#endif
