import { describe, expect, test } from 'vitest'
import type { Node } from '../../../../../state/scheduler/cluster/model/node-shapes.ts'
import { requireNode } from '../../../../../state/scheduler/cluster/nodes/nodes.ts'
import {
  meetsConstraint,
  resolveTarget,
} from '../../../../../state/scheduler/cluster/placement/constraints.ts'
import { matchesDatacenters } from '../../../../../state/scheduler/cluster/placement/feasibility.ts'
import { clusterWorld } from '../../../../support/scheduler/scheduler-cluster.ts'

/** Returns a reference to a target in the syntax of jobs. */
const target = (name: string): string => `\${${name}}`

const id = '11111111-2222-3333-4444-555555555555'

const node: Node = requireNode(
  clusterWorld({
    nodes: [
      {
        id,
        name: 'one',
        class: 'big',
        attributes: { n: '10', f: '1.5', v: '1.7.3-beta', list: 'a, b,c', __proto__x: '1' },
        meta: { rack: 'r1' },
      },
    ],
  }),
  id,
)

describe('targets', () => {
  test.each([
    ['literal', 'literal'],
    [target('node.unique.id'), id],
    [target('node.unique.name'), 'one'],
    [target('node.datacenter'), 'dc1'],
    [target('node.class'), 'big'],
    [target('node.pool'), 'default'],
    [target('attr.kernel.name'), 'linux'],
    [target('attr.unique.hostname'), 'one'],
    [target('meta.rack'), 'r1'],
    [target('meta.constructor'), undefined],
    [target('attr.none'), undefined],
    [target('other.thing'), undefined],
  ])('%s', (target, expected) => {
    expect(resolveTarget(target, node)).toBe(expected)
  })
})

describe('operators (behaviour/scheduler#validation)', () => {
  test.each([
    [target('attr.kernel.name'), '=', 'linux', true],
    [target('attr.kernel.name'), '==', 'linux', true],
    [target('attr.kernel.name'), 'is', 'linux', true],
    [target('attr.kernel.name'), '=', 'windows', false],
    [target('attr.none'), '=', target('attr.none'), false],
    [target('attr.kernel.name'), '!=', 'windows', true],
    [target('attr.kernel.name'), 'not', 'linux', false],
    [target('attr.none'), '!=', 'x', true],
    [target('attr.n'), '<', '9', false],
    [target('attr.n'), '>', '9', true],
    [target('attr.n'), '<=', '10', true],
    [target('attr.n'), '>=', '11', false],
    [target('attr.f'), '<', '1.25', false],
    [target('attr.f'), '>', '1.25', true],
    [target('attr.kernel.name'), '<', 'm', true],
    [target('attr.none'), '<', '9', false],
    [target('attr.kernel.name'), 'regexp', '^l.n', true],
    [target('attr.kernel.name'), 'regexp', '^n', false],
    [target('attr.kernel.name'), 'regexp', '(', false],
    [target('attr.v'), 'version', '>= 1.7.3-alpha', true],
    // A limit without a prerelease never matches a prerelease.
    [target('attr.v'), 'version', '< 2', false],
    [target('attr.v'), 'version', '>= 2', false],
    [target('attr.v'), 'semver', '>= 1.7.0', true],
    [target('attr.v'), 'version', 'nonsense', false],
    [target('attr.list'), 'set_contains', 'a,c', true],
    [target('attr.list'), 'set_contains_all', 'a, d', false],
    [target('attr.list'), 'set_contains_any', 'd,b', true],
    [target('attr.list'), 'set_contains_any', 'd', false],
    [target('attr.v'), 'is_set', '', true],
    [target('attr.none'), 'is_set', '', false],
    [target('attr.none'), 'is_not_set', '', true],
    [target('attr.v'), 'is_not_set', '', false],
    ['', 'distinct_hosts', 'true', true],
    [target('attr.v'), 'distinct_property', '', true],
    [target('attr.v'), 'resembles', 'x', false],
  ])('%s %s %s: %s', (LTarget, Operand, RTarget, expected) => {
    expect(meetsConstraint(node, { LTarget, Operand, RTarget })).toBe(expected)
  })
})

describe('datacenters (behaviour/scheduler#nodes: glob *)', () => {
  test.each([
    ['dc1', ['dc1'], true],
    ['dc1', ['dc2'], false],
    ['dc1x', ['dc1'], false],
    ['dc1', ['dc1x'], false],
    ['dc1x', ['dc?'], false],
    ['dc1', ['dc2', '*'], true],
    ['eu-west-1', ['eu-*'], true],
    ['eu-west-1', ['*-west-*'], true],
    ['eu-west-1', ['eu-west-?'], true],
    ['eu-west-1', ['us-*'], false],
    ['aab', ['a*ab'], true],
    ['dc1', [], false],
    ['dc1', null, false],
  ])('%s in %o: %s', (datacenter, patterns, expected) => {
    expect(matchesDatacenters(datacenter, patterns)).toBe(expected)
  })
})
