import { expect, test } from 'vitest'
import { mesh } from '../../../support/mesh/mesh.ts'

test('behaviour/mesh#config: subsets have names like host names and filters that parse', async () => {
  const { mesh: client } = await mesh()
  const put = async (name: string, subset: object = {}) => {
    const entry = { Kind: 'service-resolver', Name: 's', Subsets: { [name]: subset } }
    const { status, text } = await client.put('config', entry)
    return [status, text]
  }
  const malformed = (name: string) => [
    500,
    `Subset "${name}" is invalid: must be 63 characters or fewer, begin or end with lower case alphanumeric characters, and contain lower case alphanumeric characters or '-' in between`,
  ]
  expect(await put('')).toEqual([500, 'Subset defined with empty name'])
  const longest = 'v'.repeat(63)
  expect(await put(`${longest}2`)).toEqual([
    500,
    `Subset "${longest}2" is invalid: must be non-empty and 63 characters or fewer`,
  ])
  for (const name of ['-v', 'v-', 'V', 'v_1']) expect(await put(name)).toEqual(malformed(name))
  const [status, text] = await put('v', { Filter: 'a ==' })
  expect([status, text]).toEqual([
    500,
    expect.stringMatching(/^Filter for subset "v" is not a valid expression: ./),
  ])
  for (const name of [longest, 'v-1']) {
    expect(await put(name, { Filter: 'Service.Tags contains "a"' })).toEqual([200, 'true'])
  }
})
