#ifndef TestRun_h
#define TestRun_h

/// Begins a run of tests, as loading this target does where none has begun. From then on `TMPDIR` is a directory of this run alone,
/// which `GCDLAB_TESTS` names to all that the tests start. However the process ends, a keeper then kills whatever still carries that
/// name and removes the directory. What earlier runs have left, whose keepers are dead, is removed now.
///
/// Returns the directory, or NULL where none can be made; then `TMPDIR` stays what it was and nothing is kept.
const char *_Nullable gcdlab_tests_begin(void);

#endif
