// Measures the cost of a recorded sample in C: two reads of CLOCK_MONOTONIC, and a record in a high dynamic range
// histogram with three significant digits and a range of one hour in nanoseconds.
//
// usage: record_cost batch batches
// Prints `sample X`, the nanoseconds for one sample in the fastest batch, as NoiseFloor.sample() measures them.
//
// The record does the same work as in HdrHistogram_c and hdrhistogram-swift: it computes the bucket, and updates the
// count, the total, the smallest and the largest value.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "counterpart.h"

enum { SUB_BUCKET_MAGNITUDE = 11, SUB_BUCKETS = 1 << SUB_BUCKET_MAGNITUDE, SUB_BUCKET_HALF = SUB_BUCKETS / 2 };

struct histogram {
  uint64_t *counts;
  int length;
  int leading_zero_base;
  uint64_t total, smallest, largest;
};

static int histogram_init(struct histogram *histogram, uint64_t highest) {
  int buckets = 1;
  for (uint64_t reach = SUB_BUCKETS; reach <= highest; reach <<= 1) buckets++;
  *histogram = (struct histogram){.length = (buckets + 1) * SUB_BUCKET_HALF,
                                  .leading_zero_base = 64 - SUB_BUCKET_MAGNITUDE,
                                  .smallest = UINT64_MAX};
  histogram->counts = calloc((size_t)histogram->length, sizeof(uint64_t));
  return histogram->counts != NULL;
}

static inline int histogram_record(struct histogram *histogram, uint64_t value) {
  int bucket = histogram->leading_zero_base - __builtin_clzll(value | (SUB_BUCKETS - 1));
  int sub_bucket = (int)(value >> bucket);
  int index = ((bucket + 1) << (SUB_BUCKET_MAGNITUDE - 1)) + sub_bucket - SUB_BUCKET_HALF;
  if (index < 0 || index >= histogram->length) return 0;
  histogram->counts[index]++;
  histogram->total++;
  if (value > histogram->largest) histogram->largest = value;
  if (value < histogram->smallest && value != 0) histogram->smallest = value;
  return 1;
}

int main(int argc, char **argv) {
  long batch = argc == 3 ? strtol(argv[1], NULL, 10) : 0, batches = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
  if (batch < 1 || batches < 1) return fprintf(stderr, "usage: %s batch batches\n", argv[0]), 64;
  struct histogram histogram;
  if (!histogram_init(&histogram, 3600000000000)) return perror("calloc"), 2;

  uint64_t fastest = UINT64_MAX;
  for (long i = 0; i < batches; i++) {
    uint64_t start = now();
    for (long j = 0; j < batch; j++) {
      uint64_t before = now();
      if (!histogram_record(&histogram, now() - before)) histogram_record(&histogram, 3600000000000);
    }
    uint64_t elapsed = now() - start;
    if (elapsed < fastest) fastest = elapsed;
  }
  printf("sample %.3f\nsamples %llu\n", (double)fastest / (double)batch, (unsigned long long)histogram.total);
  return histogram.total == (uint64_t)batch * (uint64_t)batches ? 0 : 1;
}
