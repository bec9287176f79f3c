import { describe, expect, test } from 'vitest'
import { services } from '../../../src/services.ts'

/** Returns the numeric statuses of each operation of a document. */
function statusesIn(document: object | undefined): Map<string, readonly number[]> {
  const { paths } = Object(document)
  const operations = Object.values<object>(paths).flatMap((item) =>
    Object.values<{ operationId?: string; responses?: object }>(Object(item)),
  )
  return new Map(
    operations.flatMap(({ operationId, responses = {} }) =>
      operationId === undefined
        ? []
        : [[operationId, Object.keys(responses).map(Number).filter(Number.isInteger)]],
    ),
  )
}

describe('behaviour/program#reports: statuses that no request has received', () => {
  const cases = services.flatMap(({ name, api }) =>
    (['neutral', 'vendor'] as const).map((dialect) => ({ name, dialect, api })),
  )

  test.each(cases)('are those of the document: $name, $dialect', ({ api, dialect }) => {
    const { dedicated } = api(dialect)
    const documented = statusesIn(dedicated.openApi?.('1'))
    expect(documented.size).toBeGreaterThan(40)
    expect(new Map(dedicated.statuses?.())).toEqual(documented)
  })
})
