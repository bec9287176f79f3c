/** The set of names that a process uses: the specification's neutral names or the vendor's. */
export type DialectName = 'neutral' | 'vendor'
