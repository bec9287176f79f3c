/** Whose names a process speaks: the specification's neutral ones, or the vendor's. */
export type DialectName = 'neutral' | 'vendor'
