// The layout of the file that a recorded program and the lab both map.
//
// Trace.c writes the file in the program, on all threads at once. File.c reads the file in the lab, possibly at the
// same time. A chunk belongs to one thread. The threads share only the header, and change the header with atomic
// operations.
#pragma once
#include "Trace.h"

enum { CHUNK = 16 << 10, CHUNKS = 2048, EVENTS = CHUNK / sizeof(struct gcdlab_trace_event) - 1 };

struct chunk {
  uint32_t thread, image;
  char name[16];
  uint64_t unused;
  struct gcdlab_trace_event events[EVENTS];
};

// The state of a chunk: unused, in use by a thread, left by its thread, or retained until the end.
enum state { EMPTY, WRITTEN, LEFT, KEPT };

struct trace_file {
  // The number of chunks that were requested. This number is higher than the number of existing chunks if events are
  // lost.
  uint64_t chunks;
  struct gcdlab_trace_loss loss;
  // The number of programs that wrote into the file.
  uint32_t images;
  // Whether old chunks are reused, and whether recording has ended.
  bool recycles, stops;
  uint8_t states[CHUNKS];
  char unused[CHUNK - 32 - CHUNKS];
  struct chunk chunk[CHUNKS];
};
