import { setAlarm } from '../../state/kernel/time.ts'

/** In milliseconds between two looks at who the parent is. */
const pollInterval = 200

/**
 * Tells whether npm or npx started the process. They end without a word to what they started: a
 * server that is killed by the id of `npx … &` would stay for ever.
 */
export function isStartedByNpm(environment: Readonly<Record<string, string | undefined>>): boolean {
  return environment['npm_command'] !== undefined
}

/** Calls `end` once when the process that started this one is there no more: it has another parent. */
export function endWithParent(process: { readonly ppid: number }, end: () => void): void {
  const { ppid } = process
  const poll = (): void => {
    if (process.ppid === ppid) setAlarm(pollInterval, poll)
    else end()
  }
  setAlarm(pollInterval, poll)
}
