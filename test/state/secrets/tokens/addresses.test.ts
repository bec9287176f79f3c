import { describe, expect, test } from 'vitest'
import { isInNetworks } from '../../../../state/secrets/tokens/addresses.ts'

describe('behaviour/secrets#logins: token_bound_cidrs', () => {
  // choice/secrets#bound-cidrs
  test.each([
    ['10.0.0.0/8', '10.200.3.4', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['10.0.0.1', '10.0.0.1', true],
    ['10.0.0.1', '10.0.0.2', false],
    ['10.0.0.1:80', '10.0.0.1', true],
    ['127.0.0.1', '::ffff:127.0.0.1', true],
    ['0.0.0.0/0', '8.8.8.8', true],
    ['0.0.0.0/0', '::1', false],
    ['::1', '::1', true],
    ['fd00::/8', 'fd12:3456::1', true],
    ['fd00::/8', 'fe80::1', false],
    ['/run/x', '127.0.0.1', false],
    ['10.0.0.0/99', '10.0.0.1', false],
    ['10.0.0.0/8', 'nowhere', false],
  ])('%s and %s: %s', (network, address, lies) => {
    expect(isInNetworks([network], address)).toBe(lies)
    expect(isInNetworks(['192.0.2.0/24', network], address)).toBe(lies)
    expect(isInNetworks([], address)).toBe(false)
  })
})
