// guide.6, usually: a lock needs the kernel, a queue only if it must.
// guide.36, usually: taking a free dispatch semaphore is cheaper than taking a traditional semaphore, and does not
// enter the kernel.
// Tried for guide.6: ptrace counts the system calls of 10,000 uncontended pairs on a pthread mutex, of 10,000 calls of
// dispatch_sync on an idle queue, and of 200 calls of dispatch_sync that must wait for another thread. For guide.36,
// the dispatch semaphore is compared with a POSIX and a System V semaphore, in rounds. The sentence holds in part if
// the POSIX semaphore does not enter the kernel either.
// Broken: a System V semaphore replaces the lock and the dispatch semaphore.
#include "program.h"
#include "calls.h"
#include <semaphore.h>
#include <sys/sem.h>

static int set;
static void five(void) {
  struct sembuf take = {0, -1, 0}, give = {0, 1, 0};
  semop(set, &take, 1);
  semop(set, &give, 1);
}
static void nothing(void *context) { (void)context; }

int main(int count, char **words) {
  begin_program(count, words);
  enum { PAIRS = 10000, ROUNDS = 15 };
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  set = semget(IPC_PRIVATE, 1, 0600);
  semctl(set, 0, SETVAL, 1);
  long lock = system_calls(^{
    for (int i = 0; i < PAIRS; i++) {
      if (broken) five();
      else {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
      }
    }
  });
  long queue = system_calls(^{
    dispatch_queue_t one = dispatch_queue_create("free", NULL);
    for (int i = 0; i < PAIRS; i++) dispatch_sync_f(one, NULL, nothing);
  });
  long waits = system_calls(^{
    dispatch_queue_t one = dispatch_queue_create("busy", NULL);
    for (int i = 0; i < 200; i++) {
      dispatch_async(one, ^{ rest(0.0001); });
      dispatch_sync_f(one, NULL, nothing);
    }
  });
  dispatch_semaphore_t free_one = dispatch_semaphore_create(1);
  long semaphore = system_calls(^{
    for (int i = 0; i < PAIRS; i++) {
      if (broken) five();
      else {
        wait_for(free_one);
        dispatch_semaphore_signal(free_one);
      }
    }
  });
  if (lock < 0 || queue < 0) say("guide.6", UNAVAILABLE, "tracing is not allowed");
  else {
    bool spared = queue < PAIRS / 100 && waits > 200, needs = lock >= PAIRS;
    say("guide.6",
        spared && needs ? HOLDS
            : spared    ? PARTLY
                        : FAILS,
        "system calls in %d free pairs: lock %ld, sync on a queue %ld; in 200 in which it must wait: queue %ld", PAIRS,
        lock, queue, waits);
  }
  __block sem_t traditional;
  sem_init(&traditional, 0, 1);
  long traditional_calls = system_calls(^{
    for (int i = 0; i < PAIRS; i++) {
      sem_wait(&traditional);
      sem_post(&traditional);
    }
  });
  int posix = 0, five_won = 0;
  for (int r = 0; r < ROUNDS; r++) {
    double start = busy();
    for (int i = 0; i < PAIRS; i++) {
      if (broken) five();
      else {
        wait_for(free_one);
        dispatch_semaphore_signal(free_one);
      }
    }
    double ours = busy() - start;
    start = busy();
    for (int i = 0; i < PAIRS; i++) {
      sem_wait(&traditional);
      sem_post(&traditional);
    }
    double theirs = busy() - start;
    start = busy();
    for (int i = 0; i < PAIRS; i++) five();
    five_won += ours < busy() - start;
    posix += ours < theirs;
  }
  semctl(set, 0, IPC_RMID);
  const char *cheaper = usually(posix, ROUNDS), *system = usually(five_won, ROUNDS);
  if (semaphore < 0) say("guide.36", UNAVAILABLE, "tracing is not allowed");
  else
    say("guide.36",
        semaphore || system[0] == 'f'               ? FAILS
            : traditional_calls < PAIRS / 100       ? PARTLY
            : cheaper[0] == 'h' && system[0] == 'h' ? HOLDS
                                                    : OPEN,
        "system calls in %d free pairs: %ld, of a POSIX semaphore %ld; cheaper than that in %d, than a System V one in "
        "%d of %d rounds",
        PAIRS, semaphore, traditional_calls, posix, five_won, ROUNDS);
}
