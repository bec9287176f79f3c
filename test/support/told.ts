import { type Said, tell } from '../../state/kernel/wording.ts'

/** Warnings in the specification's words. */
export function told(warnings: readonly Said[]): string[] {
  return warnings.map((warning) => tell(warning))
}
