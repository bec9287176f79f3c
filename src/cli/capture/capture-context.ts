/** A fixtures document that is being made. */
export type CapturedFixtures = Record<string, unknown>

/** How something is captured. */
export interface CaptureContext {
  /** True where values are taken too. */
  readonly values: boolean
  /** What was left out, and why. */
  readonly notes: string[]
}

/** Stands for a value that is not taken. */
export const placeholder = 'placeholder'
