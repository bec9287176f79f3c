import { describe, expect, test } from 'vitest'
import { vendorMessages } from '../../../../routes/secrets/dialect/dialect.ts'
import { routeTexts } from '../../../../routes/secrets/messages.ts'
import type { MessageTable } from '../../../../state/kernel/refusal.ts'
import { table as cloudTexts } from '../../../../state/secrets/cloud/messages.ts'
import { table as jwtTexts } from '../../../../state/secrets/jwt/messages.ts'
import { table as kvTexts } from '../../../../state/secrets/kv/messages.ts'
import { table as leaseTexts } from '../../../../state/secrets/leases/leases.ts'
import { table as serviceTexts } from '../../../../state/secrets/messages.ts'
import { table as mountTexts } from '../../../../state/secrets/mounts/messages.ts'
import { table as namespaceTexts } from '../../../../state/secrets/namespaces/messages.ts'
import { table as orchTexts } from '../../../../state/secrets/orch/messages.ts'
import { table as passwordTexts } from '../../../../state/secrets/passwords/messages.ts'
import { table as policyTexts } from '../../../../state/secrets/policies/messages.ts'
import { table as rekeyTexts } from '../../../../state/secrets/rekey/messages.ts'
import { table as replicationTexts } from '../../../../state/secrets/replication/messages.ts'
import { table as sealTexts } from '../../../../state/secrets/seal/messages.ts'
import { table as tokenTexts } from '../../../../state/secrets/tokens/messages.ts'
import { table as wrappingTexts } from '../../../../state/secrets/wrapping/wrapping.ts'

const tables: readonly MessageTable[] = [
  cloudTexts,
  jwtTexts,
  kvTexts,
  leaseTexts,
  mountTexts,
  namespaceTexts,
  orchTexts,
  passwordTexts,
  policyTexts,
  rekeyTexts,
  replicationTexts,
  routeTexts,
  sealTexts,
  serviceTexts,
  tokenTexts,
  wrappingTexts,
]

const slotsOf = (template: string) => (template.match(/\{\w+\}/g) ?? []).sort()

describe('behaviour/secrets#vendor-names: the texts of the secrets API', () => {
  const texts = new Map(
    tables.flatMap((table) => Object.entries(table).map(([rule, { text }]) => [rule, text])),
  )

  test('a rule has one text in all tables', () => {
    for (const table of tables) {
      for (const [rule, { text }] of Object.entries(table)) expect(text).toBe(texts.get(rule))
    }
  })

  test('rules are kebab case', () => {
    for (const rule of texts.keys()) expect(rule).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
  })

  test('each vendor text belongs to an existing text and has the same parameters', () => {
    for (const [rule, words] of Object.entries(vendorMessages)) {
      if (rule.startsWith('field-') && !texts.has(rule)) continue
      expect(slotsOf(words), rule).toEqual(slotsOf(texts.get(rule) ?? 'no such rule'))
      expect(words, rule).not.toBe(texts.get(rule))
    }
  })
})
