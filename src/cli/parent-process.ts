import { setAlarm } from '../../state/kernel/time.ts'

/** Milliseconds between two checks of the parent process. */
const pollInterval = 200

/**
 * Returns true if npm or npx started the process. Both exit without a signal to their child
 * process, so that a server would survive `kill` of `npx … &`.
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
