import { isBlank } from '../names.ts'
import type { Violations } from '../violations.ts'

/** Adds a violation unless a text is the address of a web server. */
export function checkUrl(url: string, violations: Violations): void {
  if (isBlank(url)) violations.add('url', 'blank')
  else if (!/^https?:\/\/[^/\s]/i.test(url) || !URL.canParse(url)) violations.add('url', 'invalid')
}

/**
 * Returns whether no message arrives at an address, because the first label of the host begins with
 * `fail-`.
 */
export function failsAlways(url: string): boolean {
  return new URL(url).hostname.startsWith('fail-')
}
