import { isBlank } from '../names.ts'
import type { Violations } from '../violations.ts'

/** Adds a violation unless the URL is an absolute `http` or `https` URL with a host. */
export function checkUrl(url: string, violations: Violations): void {
  if (isBlank(url)) violations.add('url', 'blank')
  else if (!/^https?:\/\/[^/\s]/i.test(url) || !URL.canParse(url)) violations.add('url', 'invalid')
}

/** Returns whether the host of a URL begins with `fail-`. Messages to such a URL always fail. */
export function simulatesFailure(url: string): boolean {
  return new URL(url).hostname.startsWith('fail-')
}
