const tasks = await loadTasks();
const open = tasks
  .filter((t) => !t.done)
  .map((t) => ({ id: t.id, title:
