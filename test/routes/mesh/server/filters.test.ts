import { describe, expect, test } from 'vitest'
import { mesh } from '../../../support/mesh/mesh.ts'
import { meshWithAcls } from '../../../support/mesh/mesh-acl.ts'

const dialects = [
  ['neutral', 'mesh'],
  ['vendor', 'consul'],
] as const

const prefix = 'Failed to create boolean expression evaluator: '
const filteredHeader = 'x-mesh-results-filtered-by-acls'

/** Returns a path with a filter. */
function filteredPath(path: string, expression: string): string {
  return `${path}?filter=${encodeURIComponent(expression)}`
}

describe.each(dialects)('behaviour/mesh#filters: lists (%s)', (dialect, product) => {
  const service = `catalog/service/${product}`
  const health = `health/service/${product}`
  test.each([
    ['catalog/nodes', 'Node == `mesh-1`', 'Node != `mesh-1`', '[]'],
    ['catalog/nodes', '"127.0" in Address', '"128.0" in Address', '[]'],
    ['catalog/nodes', 'TaggedAddresses.lan == "127.0.0.1"', 'TaggedAddresses.x == "y"', '[]'],
    ['catalog/services', `ServiceName == ${product}`, 'ServicePort == 1', '{}'],
    [service, 'ServicePort == 8300', 'ServiceTags is not empty', '[]'],
    [service, 'ServiceMeta.non_voter == `false`', 'ServiceMeta.none == x', '[]'],
    [health, 'Checks.Status == passing', 'Checks.Status == critical', '[]'],
    [health, 'Service.Meta contains version', 'not Node.Meta is not empty', '[]'],
    ['health/node/mesh-1', 'CheckID matches "^serf"', 'Type == ttl', '[]'],
    ['health/state/any', 'Status == passing and Notes == ""', 'Status == critical', '[]'],
    ['agent/members', `Tags.role == ${product}`, 'Status != 1', '[]'],
  ])('%s: %s', async (path, fitting, other, empty) => {
    const { mesh: client } = await mesh({ dialect })
    const all = await client.get(path)
    const kept = await client.get(filteredPath(path, fitting))
    expect([kept.status, kept.text]).toEqual([200, all.text])
    expect((await client.get(`${path}?filter=`)).text).toBe(all.text)
    const dropped = await client.get(filteredPath(path, other))
    expect([dropped.status, dropped.text]).toEqual([200, empty])
  })

  test('a node keeps only the services that fit', async () => {
    const { mesh: client } = await mesh({ dialect })
    const path = 'catalog/node/mesh-1'
    const kept = await client.get(filteredPath(path, 'Port == 8300'))
    expect(Object.keys(kept.body.Services)).toEqual([product])
    const dropped = await client.get(filteredPath(path, 'Weights.Passing != 1'))
    expect(dropped.body).toMatchObject({ Node: { Node: 'mesh-1' }, Services: {} })
  })
})

describe('behaviour/mesh#filters: invalid expressions', () => {
  test.each([
    'catalog/nodes',
    'catalog/services',
    'catalog/node/mesh-1',
    'catalog/node/nowhere',
    'catalog/service/nothing',
    'health/service/nothing',
    'health/node/nowhere',
    'health/state/critical',
    'agent/members',
    'agent/services',
  ])('%s: 500, even if nothing would be listed', async (path) => {
    const { mesh: client } = await mesh()
    const { status, text } = await client.get(filteredPath(path, 'Foo.Bar == x'))
    expect([status, text]).toEqual([500, `${prefix}Selector "Foo" is not valid`])
  })

  test('agent/checks has the bare text, unless the text is not an expression', async () => {
    const { mesh: client } = await mesh()
    const malformed = await client.get(filteredPath('agent/checks', 'x'))
    expect(malformed.status).toBe(500)
    expect(malformed.text.startsWith(`${prefix}1:2 (1): no match found`)).toBe(true)
    const { status, text } = await client.get(filteredPath('agent/checks', 'Foo == x'))
    expect([status, text]).toEqual([500, 'Selector "Foo" is not valid'])
    expect((await client.get(filteredPath('agent/checks', 'Status == x'))).text).toBe('{}')
    expect((await client.get(filteredPath('agent/services', 'Port == 1'))).text).toBe('{}')
  })

  test.each([
    ['ServiceMeta.x.y == z', 'Selector "ServiceMeta.x.y" is not valid'],
    ['CreateIndex == 1', 'Selector "CreateIndex" is not valid'],
    ['ServiceName is empty', 'Invalid match operator "Is Empty" for selector "ServiceName"'],
    ['ServicePort not in 8', '1:20 (19): rule "match": Invalid selector'],
    ['8 in ServicePort', 'Invalid match operator "In" for selector "ServicePort"'],
    ['8 not in ServicePort', 'Invalid match operator "Not In" for selector "ServicePort"'],
    ['ServiceMeta == x', 'Invalid match operator "Equal" for selector "ServiceMeta"'],
    ['ServiceWeights == x', 'Invalid match operator "Equal" for selector "ServiceWeights"'],
    [
      'ServicePort == abc',
      'Failed to coerce value "abc" for selector "ServicePort": strconv.ParseInt: parsing "abc": invalid syntax',
    ],
    ['Node matches "("', expect.stringContaining('Failed to compile regular expression "("')],
    ['ServiceTags is nil', expect.stringContaining('1:16 (15): no match found, expected: ')],
    ['any ServiceTags as t { t == x }', expect.stringContaining('no match found, expected: ')],
    ['"/Node" == x', expect.stringContaining('no match found, expected: ')],
    ['Node', expect.stringContaining('1:5 (4): no match found, expected: "!="')],
    [
      'Node ',
      '1:6 (5): no match found, expected: "!=", "==", "contains", "in", "is", "matches", "not" or [ \\t\\r\\n]',
    ],
  ])('%s', async (expression, problem) => {
    const { mesh: client } = await mesh()
    const { status, text } = await client.get(filteredPath('catalog/service/mesh', expression))
    expect([status, text.slice(0, prefix.length)]).toEqual([500, prefix])
    expect(text.slice(prefix.length)).toEqual(problem)
  })

  test('entries that the filter drops do not count as filtered by ACLs', async () => {
    const { clientWithRules } = await meshWithAcls()
    const client = await clientWithRules('')
    const hidden = await client.get(filteredPath('catalog/nodes', 'Datacenter == dc1'))
    expect([hidden.text, hidden.headers[filteredHeader]]).toEqual(['[]', 'true'])
    const dropped = await client.get(filteredPath('catalog/nodes', 'Datacenter == dc2'))
    expect([dropped.text, dropped.headers[filteredHeader]]).toEqual(['[]', undefined])
  })
})
