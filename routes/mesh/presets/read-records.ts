import type { RequestRecord } from '../../http/journal-hooks/request-record.ts'

/**
 * Returns the names under which a response header is present. Vendor replies use both spellings.
 */
export function headerNamesIn({ responseHeaders }: RequestRecord, name: string): readonly string[] {
  return [`x-mesh-${name}`, `x-consul-${name}`].filter((header) => header in responseHeaders)
}

/** Returns the index in the reply to a successful read; undefined for other requests. */
export function indexIn(record: RequestRecord): number | undefined {
  const [name] = headerNamesIn(record, 'index')
  return record.status !== 200 || name === undefined
    ? undefined
    : Number(record.responseHeaders[name])
}
