import { trimEndOf } from '../../state/kernel/trimming.ts'

/** Encodes each segment of a path for a URL. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

/** Returns a URL without its user name, its password and trailing slashes. */
export function withoutCredentials(url: string): string {
  const address = new URL(url)
  address.username = ''
  address.password = ''
  return trimEndOf(address.href, '/')
}
