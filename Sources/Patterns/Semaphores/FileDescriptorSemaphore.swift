import Dispatch
import Instruments
import Synchronization

/// What happens if tasks open more files at once than the process may open?
///
/// A process may have only a limited number of file descriptors open, and Dispatch does not observe this limit. The
/// Concurrency Programming Guide recommends a semaphore whose initial value is half the size of the descriptor table.
/// Each task waits on the semaphore before it opens a file, and signals the semaphore after it has closed the file. The
/// variant `semaphore` follows this recommendation.
///
/// A trial sets the soft limit of its process (`RLIMIT_NOFILE`) to the setting `limit`. The tasks open the executable
/// file of the lab, which exists on every machine, unlike the file in the guide's listing. While a task holds its file
/// open, the task blocks instead of processing the file.
///
/// Source: Concurrency Programming Guide, Dispatch Queues, "Using Dispatch Semaphores to Regulate the Use of Finite
/// Resources".
struct FileDescriptorSemaphore: Pattern {
  static let name = "fd-semaphore"

  let limit = Parameter.count(
    "limit", 16...65_536, default: 64,
    "descriptors that the process may have open (soft RLIMIT_NOFILE); half as many files with a semaphore")
  let permits = Parameter.count(
    "permits", 1...65_536, default: 32,
    "initial value of the semaphore in `permits-at-submit`; the other semaphores begin with half of `limit`")
  let tasks = Parameter.count("tasks", 1...10_000, default: 100, "tasks, each of which opens one file")
  let hold = Parameter.duration(
    "hold", .zero ... .seconds(1), default: .milliseconds(4),
    "how long a task keeps its file open; in `unlimited`, until all tasks have tried to open one")

  let failedOpens = Metric.count(
    "failed-opens", better: .lower, "opens that failed because no descriptor was left (EMFILE)")
  let peakOpen = Metric.count(
    "peak-open", "peak number of files that the tasks had open at once, read from the system's table after each open")
  let overHalf = Metric.count("over-half", "files by which that peak exceeds half the descriptors; 0 if it does not")
  let peakThreads = Metric.count(
    "peak-threads", missingIf: "the system does not list threads",
    "peak number of threads started for the tasks, sampled by each task; without threads that existed before the first task"
  )
  let wait = Metric.latency("wait", "how long a task, or its submitter, waited for the semaphore")
  let elapsed = Metric.latency("elapsed", "from the first submission to the end of the last task, failed or not")

  /// The maximum time, from the last submission, for which a task of the variant `unlimited` holds its file open until
  /// all tasks have tried to open their files. The time is limited, since a pool of 255 threads may not run all tasks
  /// at once.
  var patience = Duration.seconds(20)

  var problem: [any Declaration] { [tasks, hold] }
  var conditions: [any Declaration] { [limit] }

  var variants: [Variant] {
    Variant(
      "unlimited", .broken, "a private serial queue for each task, no limit",
      process(threads: .perTask, mustExceed: true)
    ) {
      files in
      files.submitEach { task in
        DispatchQueue(label: "file").async(group: files.all) {
          let file = task.open()
          // The result of an open must not depend on how soon the threads start.
          task.readUntilOthersTried(file)
          task.close(file)
        }
      }
    }
    Variant(
      "unlimited-global", .broken, "the global queue, whose pool adds threads slowly; no limit",
      process(threads: .perTask)
    ) { files in
      files.submitEach { task in
        DispatchQueue.global().async(group: files.all) {
          let file = task.open()
          task.read(file)
          task.close(file)
        }
      }
    }
    Variant(
      "semaphore", .documented, "private serial queues; each task waits for a semaphore of getdtablesize()/2",
      process(threads: .perTask, timesWaits: true)
    ) { files in
      let fdSema = files.timed(DispatchSemaphore(value: Int(getdtablesize() / 2)))
      files.submitEach { task in
        DispatchQueue(label: "file").async(group: files.all) {
          fdSema.wait()
          let file = task.open()
          task.read(file)
          task.close(file)
          fdSema.signal()
        }
      }
    }
    Variant(
      "semaphore-at-submit", .documented,
      "private serial queues; the submitter waits for a semaphore of getdtablesize()/2 before it submits a task",
      process(threads: .perPermit, timesWaits: true)
    ) { files in
      let fdSema = files.timed(DispatchSemaphore(value: Int(getdtablesize() / 2)))
      files.submitEach { task in
        fdSema.wait()
        DispatchQueue(label: "file").async(group: files.all) {
          let file = task.open()
          task.read(file)
          task.close(file)
          fdSema.signal()
        }
      }
    }
    Variant(
      "permits-at-submit", .documented,
      "as semaphore-at-submit, with the setting permits in place of getdtablesize()/2",
      process(threads: .perSetPermit, timesWaits: true)
    ) { files in
      let fdSema = files.timed(DispatchSemaphore(value: files.permits))
      files.submitEach { task in
        fdSema.wait()
        DispatchQueue(label: "file").async(group: files.all) {
          let file = task.open()
          task.read(file)
          task.close(file)
          fdSema.signal()
        }
      }
    }
    Variant(
      "queue-pool", .documented, "tasks distributed over as many serial queues as cores, at most 32",
      process(threads: .perCore)
    ) { files in
      let queues = (0..<min(files.cores, OpenFiles.mostQueues)).map { DispatchQueue(label: "pool.\($0)") }
      let turns = RoundRobin(count: queues.count)
      files.submitEach { task in
        queues[turns.next()].async(group: files.all) {
          let file = task.open()
          task.read(file)
          task.close(file)
        }
      }
    }
  }
}
