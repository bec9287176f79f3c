import { isBlank } from '../names.ts'
import type { Violations } from '../violations.ts'

/** Adds a violation unless the URL is an absolute `http` or `https` URL with a host. */
export function checkUrl(url: string, violations: Violations): void {
  if (isBlank(url)) violations.add('url', 'blank')
  else if (!/^https?:\/\/[^/\s]/i.test(url) || !URL.canParse(url)) violations.add('url', 'invalid')
}

/** Returns whether the host begins with `fail-`: messages to such an address always fail. */
export function simulatesFailure(url: string): boolean {
  return new URL(url).hostname.startsWith('fail-')
}
