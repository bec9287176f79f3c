import { setAlarm } from '../../state/kernel/time.ts'

/** Milliseconds between two checks of the parent process. */
const pollInterval = 200

/**
 * Returns true if npm or npx started the process. When npm or npx is killed, it sends no signal to
 * its child process, so the server would keep running.
 */
export function isStartedByNpm(environment: Readonly<Record<string, string | undefined>>): boolean {
  return environment['npm_command'] !== undefined
}

/**
 * Calls `end` once after the parent process has exited and the process therefore has another parent
 * id.
 */
export function endWithParent(process: { readonly ppid: number }, end: () => void): void {
  const { ppid } = process
  const poll = (): void => {
    if (process.ppid === ppid) setAlarm(pollInterval, poll)
    else end()
  }
  setAlarm(pollInterval, poll)
}
