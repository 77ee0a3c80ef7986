# Stands alone.
import threading, queue
class Worker(threading.Thread):
    def __init__(self, tasks, results):
        threading.Thread.__init__(self, daemon=True)
        self._tasks = tasks
        self._results = results
        self._stop_event = threading.Event()
    def run(self):
        while not self._stop_event.is_set():
            try:
                job = self._tasks.get(timeout=0.1)
            except queue.Empty:
                return
            self._results.put(job())
    def stop(self):
        self._stop_event.set()
def agent_main(problem, find):
    tasks, results = queue.Queue(), queue.Queue()
    tasks.put(lambda: find(problem))
    w = Worker(tasks, results)
    w.start()
    w.join()
    return results.get()
