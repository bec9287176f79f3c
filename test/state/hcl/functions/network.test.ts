import { describe, expect, test } from 'vitest'
import { call, fault } from './support.ts'

// Results and messages match the reference, except where it returns an infinity or crashes.
describe('behaviour/scheduler#functions: network addresses', () => {
  test.each<[string, unknown]>([
    ['cidrhost("10.0.0.0/8", 300)', '10.0.1.44'],
    ['cidrhost("10.0.0.0/8", -1)', '10.255.255.255'],
    ['cidrhost("fd00:fd12:3456:7890::/72", 34)', 'fd00:fd12:3456:7890::22'],
    ['cidrhost("::/0", 1)', '::1'],
    ['cidrhost("10.1.2.3/08", 1)', '10.0.0.1'],
    ['cidrhost("1:2:3:4:5:6:7::/112", 0)', '1:2:3:4:5:6:7:0'],
    ['cidrhost("1:0:0:2:0:0:0:0/64", 3)', '1:0:0:2::3'],
    ['cidrhost("1:0:0:2:0:0:3:4/128", 0)', '1::2:0:0:3:4'],
    ['cidrhost("::1.2.3.4/128", 0)', '::102:304'],
    ['cidrnetmask("10.0.0.0/12")', '255.240.0.0'],
    ['cidrnetmask("10.0.0.0/0")', '0.0.0.0'],
    ['cidrnetmask("fe80::/64")', 'ffff:ffff:ffff:ffff::'],
    ['cidrsubnet("172.16.0.0/12", 4, 2)', '172.18.0.0/16'],
    ['cidrsubnet("10.1.2.0/24", 4, 15)', '10.1.2.240/28'],
    ['cidrsubnet("fd00:fd12:3456:7890::/56", 16, 162)', 'fd00:fd12:3456:7800:a200::/72'],
    ['cidrsubnet("10.1.2.0/24", 0, 0)', '10.1.2.0/24'],
    ['cidrsubnet("10.1.2.0/24", -1, 0)', '10.1.2.0/23'],
    ['cidrsubnet("10.1.2.0/24", -8, 0)', '10.1.2.0/16'],
    [
      'cidrsubnets("10.1.0.0/16", 4, 4, 8, 4)',
      { '<list>': ['10.1.0.0/20', '10.1.16.0/20', '10.1.32.0/24', '10.1.48.0/20'] },
    ],
    [
      'cidrsubnets("fd00::/48", 16, 16, 32)',
      { '<list>': ['fd00::/64', 'fd00:0:0:1::/64', 'fd00:0:0:2::/80'] },
    ],
    ['cidrsubnets("10.1.0.0/16")', { '<list>': [] }],
  ])('%s', (expression, result) => {
    expect(call(expression)).toEqual(result)
  })

  test.each<[string, string]>([
    [
      'cidrhost("10.0.0.0/31", 2)',
      'Error in function call; Call to function "cidrhost" failed: prefix of 31 does not accommodate a host numbered 2.',
    ],
    [
      'cidrhost("10.0.0.0/31", -3)',
      'Error in function call; Call to function "cidrhost" failed: prefix of 31 does not accommodate a host numbered -3.',
    ],
    [
      'cidrhost("10.0.0.0", 1)',
      'Error in function call; Call to function "cidrhost" failed: invalid CIDR expression: invalid CIDR address: 10.0.0.0.',
    ],
    [
      'cidrhost("10.0.0.0/33", 1)',
      'Error in function call; Call to function "cidrhost" failed: invalid CIDR expression: invalid CIDR address: 10.0.0.0/33.',
    ],
    [
      'cidrhost("010.0.0.0/8", 1)',
      'Error in function call; Call to function "cidrhost" failed: invalid CIDR expression: invalid CIDR address: 010.0.0.0/8.',
    ],
    [
      'cidrhost("10.0.0/8", 1)',
      'Error in function call; Call to function "cidrhost" failed: invalid CIDR expression: invalid CIDR address: 10.0.0/8.',
    ],
    [
      'cidrhost("10.1.2.3/8", 1.5)',
      'Error in function call; Call to function "cidrhost" failed: value must be a whole number, between -9223372036854775808 and 9223372036854775807.',
    ],
    [
      'cidrhost("::1%eth0/64", 1)',
      'Error in function call; Call to function "cidrhost" failed: invalid CIDR expression: invalid CIDR address: ::1%eth0/64.',
    ],
    [
      'cidrhost("1::2::3/64", 0)',
      'Error in function call; Call to function "cidrhost" failed: invalid CIDR expression: invalid CIDR address: 1::2::3/64.',
    ],
    [
      'cidrhost("12345::/64", 0)',
      'Error in function call; Call to function "cidrhost" failed: invalid CIDR expression: invalid CIDR address: 12345::/64.',
    ],
    [
      'cidrhost("::/129", 0)',
      'Error in function call; Call to function "cidrhost" failed: invalid CIDR expression: invalid CIDR address: ::/129.',
    ],
    [
      'cidrnetmask("x")',
      'Error in function call; Call to function "cidrnetmask" failed: invalid CIDR expression: invalid CIDR address: x.',
    ],
    [
      'cidrsubnet("10.1.2.0/24", 4, 16)',
      'Error in function call; Call to function "cidrsubnet" failed: prefix extension of 4 does not accommodate a subnet numbered 16.',
    ],
    [
      'cidrsubnet("10.1.2.0/24", 9, 0)',
      'Error in function call; Call to function "cidrsubnet" failed: insufficient address space to extend prefix of 24 by 9.',
    ],
    [
      'cidrsubnet("10.1.2.0/24", 33, 0)',
      'Error in function call; Call to function "cidrsubnet" failed: may not extend prefix by more than 32 bits.',
    ],
    [
      'cidrsubnet("10.1.2.0/24", 4, -1)',
      'Error in function call; Call to function "cidrsubnet" failed: prefix extension of 4 does not accommodate a subnet numbered -1.',
    ],
    [
      'cidrsubnet("x", 4, -1)',
      'Error in function call; Call to function "cidrsubnet" failed: invalid CIDR expression: invalid CIDR address: x.',
    ],
    [
      'cidrsubnets("10.1.0.0/16", 0)',
      'Invalid function argument; Invalid value for "newbits" parameter: must extend prefix by at least one bit.',
    ],
    [
      'cidrsubnets("10.1.0.0/16", 33)',
      'Invalid function argument; Invalid value for "newbits" parameter: may not extend prefix by more than 32 bits.',
    ],
    [
      'cidrsubnets("10.1.0.0/16", 17)',
      'Invalid function argument; Invalid value for "newbits" parameter: would extend prefix to 33 bits, which is too long for an IPv4 address.',
    ],
    [
      'cidrsubnets("10.1.0.0/16", 1, 1, 1)',
      'Invalid function argument; Invalid value for "newbits" parameter: not enough remaining address space for a subnet with a prefix of 17 bits after 10.1.128.0/17.',
    ],
    [
      'cidrsubnets("0.0.0.0/0", 1, 1, 1)',
      'Invalid function argument; Invalid value for "newbits" parameter: not enough remaining address space for a subnet with a prefix of 1 bits after 128.0.0.0/1.',
    ],
    [
      'cidrsubnets("fe80::/16", 32, 1.5)',
      'Invalid function argument; Invalid value for "newbits" parameter: value must be a whole number, between -9223372036854775808 and 9223372036854775807.',
    ],
    [
      'cidrsubnets("fe80::/120", 9)',
      'Invalid function argument; Invalid value for "newbits" parameter: would extend prefix to 129 bits, which is too long for an IPv6 address.',
    ],
    [
      'cidrsubnets("x", 1)',
      'Invalid function argument; Invalid value for "prefix" parameter: invalid CIDR expression: invalid CIDR address: x.',
    ],
    [
      'cidrsubnets("10.1.0.0/30", 2, 1, 2)',
      'Invalid function argument; Invalid value for "newbits" parameter: not enough remaining address space for a subnet with a prefix of 32 bits after 10.1.0.2/31.',
    ],
  ])('%s is refused', (expression, why) => {
    expect(fault(expression)).toBe(why)
  })
})
