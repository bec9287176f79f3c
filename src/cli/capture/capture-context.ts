/** Fixtures document under construction. */
export type CapturedFixtures = Record<string, unknown>

/** Settings and notes of a capture. */
export interface CaptureContext {
  /** True if secret values are captured as well. */
  readonly includesValues: boolean
  /** Notes about parts that were left out, with reasons. */
  readonly notes: string[]
}

/** Text that replaces a value that is not captured. */
export const placeholder = 'placeholder'
