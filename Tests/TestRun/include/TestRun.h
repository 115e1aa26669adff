#ifndef TestRun_h
#define TestRun_h

/// Begins a run of tests. Loading this target calls the function if no run has begun. `TMPDIR` is then a directory of
/// this run alone, whose path `GCDLAB_TESTS` contains in the environment of all processes that the tests start. However
/// this process ends, a keeper then kills all processes with this variable, and removes the directory. The function
/// also removes the directories of earlier runs whose keepers have ended.
///
/// Returns the path of the directory; NULL if none can be created. `TMPDIR` is then unchanged, and there is no keeper.
const char *_Nullable gcdlab_tests_begin(void);

#endif
