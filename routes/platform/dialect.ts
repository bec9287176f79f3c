import { type Message, renderMessage } from '../../state/kernel/message.ts'
import { cachedRowJson } from '../http/declare/cached-row-json.ts'
import type { DialectName } from '../http/declare/dialect.ts'

/**
 * Which of the API's own words one is: the name of an attribute, the type of a resource, the id of
 * settings, what one of these is by default, the product, or a header. Words are changed by the place
 * that they stand in, so that nothing happens to what callers chose; words of values stand in their
 * shapes.
 */
type Vocabulary = keyof typeof vendorWords

/** The platform API's side of a dialect (behaviour/platform#vendor-names). */
export interface PlatformDialect {
  readonly name: DialectName
  /** A text in the dialect's words. */
  renderMessage(message: Message): string
  /** One of the API's own words as this dialect writes it. */
  toWire(vocabulary: Vocabulary, neutral: string): string
  /** The specification's word for one of the API's own that a caller sent, in either spelling. */
  fromWire(vocabulary: Vocabulary, sent: string): string
  /** True when settings tell their vendor-only attributes. */
  readonly extras: boolean
  /** Headers that every response carries besides. */
  readonly headers: Readonly<Record<string, string>>
}

/** Words that differ. */
const vendorWords = {
  attribute: {
    'cloud1-access-key-id': 'aws-access-key-id',
    'cloud1-secret-key': 'aws-secret-key',
    'cloud2-credentials': 'gcp-credentials',
    'cloud3-client-id': 'azure-client-id',
    'cloud3-client-secret': 'azure-client-secret',
    'cloud3-subscription-id': 'azure-subscription-id',
    'cloud3-tenant-id': 'azure-tenant-id',
    'cloud1-enabled': 'aws-enabled',
    'cloud1-instance-profile-enabled': 'aws-instance-profile-enabled',
    'cloud2-enabled': 'gcp-enabled',
    'cloud3-enabled': 'azure-enabled',
    'infra-version': 'terraform-version',
    'infra-build-worker-plan-timeout': 'terraform-build-worker-plan-timeout',
    'infra-build-worker-apply-timeout': 'terraform-build-worker-apply-timeout',
  },
  type: { 'sms-settings': 'twilio-settings' },
  settings: { sms: 'twilio' },
  settingsDefault: { 'support@example.com': 'support@hashicorp.com' },
  product: { infra: 'terraform' },
  header: { 'X-Infra-Get': 'X-Terraform-Get' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>

type Lookup = (vocabulary: Vocabulary, word: string) => string

/** Looks words up from the first or the second of each pair to the other. */
function createLookup(from: 0 | 1): Lookup {
  const maps = new Map<string, ReadonlyMap<string, string>>(
    Object.entries(vendorWords).map(([vocabulary, pairs]) => [
      vocabulary,
      new Map(
        Object.entries(pairs).map(([neutral, vendor]) =>
          from === 0 ? [neutral, vendor] : [vendor, neutral],
        ),
      ),
    ]),
  )
  return (vocabulary, word) => maps.get(vocabulary)?.get(word) ?? word
}

const unchanged: Lookup = (_vocabulary, word) => word
const toVendor = createLookup(0)
const toNeutral = createLookup(1)

const neutralDialect: PlatformDialect = {
  name: 'neutral',
  renderMessage,
  toWire: unchanged,
  fromWire: toNeutral,
  extras: false,
  headers: {},
}

const vendorDialect: PlatformDialect = {
  name: 'vendor',
  renderMessage,
  toWire: toVendor,
  fromWire: toNeutral,
  extras: true,
  headers: {
    'TFP-API-Version': '2.6',
    'TFP-AppName': 'Terraform Enterprise',
    'X-TFE-Version': 'v202406-1',
    'X-TFE-Current-Version': '1.0.0',
  },
}

/** The dialect of a name. */
export function platformDialect(name: DialectName): PlatformDialect {
  return name === 'vendor' ? vendorDialect : neutralDialect
}

/** Returns the JSON of rows that show nothing but what they hold themselves. */
export const renderedJson = cachedRowJson(platformDialect)
