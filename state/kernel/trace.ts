import type { Change } from './commit.ts'

/** Follows a request through its steps: what it wrote, and why it was refused (CONTROL section 2). */
export interface Trace {
  /** Told of each commit of the request, in order; the kernel's own tables are among the changes. */
  wrote(changes: readonly Change[]): void
  /** Told of what ended it, a refusal or an exception. */
  failed(error: unknown): void
}
