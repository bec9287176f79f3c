/** A field that takes a list of texts. */
export const texts = (description: string) =>
  ({ type: 'array', items: { type: 'string' }, description }) as const

/** A field that takes a duration; handlers get whole seconds, never fewer than 0. */
export const duration = (description: string) =>
  ({ type: 'integer', format: 'duration', description }) as const

/** The same for one that may be negative. */
export const signedDuration = (description: string) =>
  ({ type: 'integer', format: 'signed-duration', description }) as const
