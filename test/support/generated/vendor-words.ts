import { vendorMessages as meshTexts } from '../../../routes/mesh/dialect.ts'
import { vendorMessages as schedulerTexts } from '../../../routes/scheduler/dialect.ts'
import { vendorMessages as secretsTexts } from '../../../routes/secrets/dialect/dialect.ts'
import { storedSchema } from '../../../state/kernel/shape/schema.ts'
import { jobShape } from '../../../state/scheduler/job/job-shape.ts'

/**
 * Names of products, parts and fields, in the neutral and in the vendor's spelling, from the
 * sections of docs/behaviour about the vendor's names.
 */
const listedWords = [
  ...['Service', 'Vault', 'vault', 'secrets', 'Secrets', 'SECRETS', 'HashiCorp', 'Management'],
  ...['orch', 'kubernetes', 'Kubernetes', 'Orchestrator', 'kubesecrets', 'k8s.io', 'orch.io'],
  ...['cloud', 'oci', 'OCI', 'cid_list', 'ocid_list', 'CIDs', 'OCIDs', 'cid', 'ocid'],
  ...['orch_host', 'kubernetes_host', 'orch_ca_cert', 'orch_namespace', 'kubernetes_namespace'],
  ...['allowed_orch_namespaces', 'allowed_kubernetes_namespaces', 'orch_role_type'],
  ...['infra', 'terraform', 'Terraform', 'ent-api', 'tfe-api', 'sms', 'twilio', 'cloud1', 'aws'],
  ...['cloud1-enabled', 'aws-enabled', 'infra-build-worker-plan-timeout', 'sms-settings'],
  ...['mesh', 'Mesh', 'consul', 'Consul', 'sched', 'Sched', 'nomad', 'Nomad', 'scheduler'],
  ...['attr.sched.version', 'attr.nomad.version', 'mock', 'mock_driver', 'sched_token'],
  ...['X-Secrets-Token', 'X-Vault-Token', 'X-Mesh-Index', 'X-Consul-Index', 'X-Nomad-Index'],
]

const wordsOf = (text: string): Set<string> => new Set(text.match(/[A-Za-z][\w.]*\w/g) ?? [])

/** Returns the words that only one of two texts contains. */
function differingWords(one: string, other: string): readonly string[] {
  const [neutralWords, vendorWords] = [wordsOf(one), wordsOf(other)]
  return [...neutralWords, ...vendorWords].filter(
    (word) => !neutralWords.has(word) || !vendorWords.has(word),
  )
}

/** Names and symbols in vendor messages: words with capitals, dots or underscores. */
const messageWords = [meshTexts, schedulerTexts, secretsTexts]
  .flatMap((texts) => Object.values(texts))
  .flatMap((text) => [...wordsOf(String(text))])
  .filter((word) => /[A-Z_.]/.test(word))

const shapeWords = differingWords(
  JSON.stringify(storedSchema(jobShape)),
  JSON.stringify(storedSchema(jobShape, 'vendor')),
)

/**
 * Words that differ between dialects: listed ones, names in vendor messages, and names in the shape
 * of a job.
 */
export const dialectWords: readonly string[] = [
  ...new Set([...listedWords, ...messageWords, ...shapeWords]),
]
