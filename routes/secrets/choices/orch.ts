import type { Choice } from '../../http/coverage.ts'

const section = 'behaviour/secrets#orch'
const rules = 'behaviour/secrets#api-orch'

/** The orchestrator engine and the simulated orchestrator behind it. */
export const orchChoices: readonly Choice[] = [
  {
    id: 'orch-one-orchestrator',
    about: 'Which orchestrator engines talk to.',
    choice:
      'A world has one, whatever host a configuration names: what engines make in it is listed at `GET /_mock/secrets/orchestrator`, and names are taken across mounts.',
    evidence: 'extension',
    where: section,
  },
  {
    id: 'orch-pod',
    about: "The pod's environment variables and files.",
    choice:
      'The options `orchServiceHost`, `orchServicePort`, `orchLocalCaCert` and `orchLocalToken`, all unset. What an engine makes of them and of its configuration is told by the control plane; certificates and tokens are not looked into.',
    evidence: 'extension',
    where: 'behaviour/secrets#api-orch',
  },
  {
    id: 'orch-faults',
    about: 'An orchestrator that is unreachable, refuses or is slow.',
    choice:
      'The option `orchFault`: asking for credentials fails at once with the reason in the words of a Go client, `slow` with a deadline that was exceeded. Time does not pass by it.',
    evidence: 'extension',
    where: 'behaviour/secrets#orch-creds',
  },
  {
    id: 'orch-failure-text',
    about: 'What the orchestrator refuses to make, other than a token.',
    choice:
      '502 with the one text `failed to create a service account token for …` too, and nothing is left of what was made before; the reference words each call and cleans up after ten minutes.',
    evidence: 'decided here',
    where: 'behaviour/secrets#orch-creds',
  },
  {
    id: 'orch-fault-revocation',
    about: 'Leases that end while the orchestrator is at fault.',
    choice:
      'Their objects are deleted nonetheless, where the reference tries again until they are: nothing is ever left behind.',
    evidence: 'decided here',
    where: 'behaviour/secrets#orch-objects',
  },
  {
    id: 'orch-names',
    about: 'Names that an orchestrator does not allow.',
    choice:
      'Generated accounts need the name of a DNS subdomain and namespaces that of a DNS label; others fail with the reason that the orchestrator has. Accounts that exist may be called anything.',
    evidence: 'decided here',
    where: 'behaviour/secrets#orch-creds',
  },
  {
    id: 'orch-limits',
    about: 'Accounts that do not exist, the shortest and the longest token.',
    choice:
      'The options `orchMissingAccounts`, `orchMinTtl` (`10m` as orchestrators have it) and `orchMaxTtl`.',
    evidence: 'extension',
    where: 'behaviour/secrets#orch-creds',
  },
  {
    id: 'orch-account-uid',
    about: 'The uid of an account that the engine did not make.',
    choice: 'Worked out from namespace and name: every token for an account has the same.',
    evidence: 'decided here',
    where: 'behaviour/secrets#orch-token',
  },
  {
    id: 'orch-key-set',
    about: 'How tokens can be verified.',
    choice:
      'By the key set at `GET /_mock/secrets/orchestrator/keys`; the header of a token has `alg` and `kid`. A world makes its RSA key with the first token and has an empty set before.',
    evidence: 'extension',
    where: 'behaviour/secrets#orch-token',
  },
  {
    id: 'orch-audiences',
    about: 'Audiences other than the orchestrator itself.',
    choice:
      '`audiences` of a request, else `token_default_audiences` of the role, as in newer releases; both dialects take them, reading a role shows them in the vendor dialect alone.',
    evidence: 'extension',
    where: 'behaviour/secrets#orch-roles',
  },
  {
    id: 'orch-namespace-selector',
    about: '`allowed_orch_namespace_selector`.',
    choice:
      "Both dialects take it as JSON or YAML, and a role may have it in place of namespaces. Namespaces have the label `orch.io/metadata.name` and those of the option `orchNamespaceLabels`. One that does not parse: 400 `failed to parse 'allowed_orch_namespace_selector' as orch.io/api/meta/v1/LabelSelector object`.",
    evidence: 'extension',
    where: 'behaviour/secrets#orch-roles',
  },
  {
    id: 'orch-labels',
    about: 'The labels of generated objects in the neutral dialect.',
    choice: 'managed-by `Secrets-Service`, created-by `secrets-engine-orch`.',
    evidence: 'decided here',
    where: 'behaviour/secrets#vendor-names',
  },
  {
    id: 'orch-metadata-input',
    about: '`additional_metadata` that is sent.',
    choice:
      "Replaces the labels or annotations that it has; `extra_labels` and `extra_annotations` beside it win. Anything else in it: 400 `additional_metadata should be a nested map, with only 'labels' and 'annotations' as the top level keys`.",
    evidence: 'decided here',
    where: 'behaviour/secrets#orch-roles',
  },
  {
    id: 'orch-rules-form',
    about: 'Rules that are JSON or YAML but have another form.',
    choice:
      'Refused as what does not parse: `rules` must be there and a list of objects, whose known lists hold texts only. Further keys are passed over.',
    evidence: 'decided here',
    where: rules,
  },
  {
    id: 'orch-rules-bounds',
    about: 'How much work rules may make.',
    choice:
      'YAML of more than 32 KiB, nesting deeper than 50 or with aliases that multiply is refused as what does not parse. It is read as YAML 1.1; of equal keys the last wins.',
    evidence: 'decided here',
    where: rules,
  },
  {
    id: 'orch-name-template',
    about: "How much of Go's templates `name_template` may use.",
    choice:
      'What the default name and the functions of behaviour/secrets#orch need: texts, trimming, pipelines, parentheses, strings, whole numbers, fields, those functions and printf with s, v, q and d. All else of the language is refused.',
    evidence: 'decided here',
    where: section,
  },
  {
    id: 'orch-name-template-bounds',
    about: 'How much work a template may make.',
    choice:
      'A template has at most 16 KiB and 200 levels; texts of more than 4096 characters are refused as it is applied.',
    evidence: 'decided here',
    where: section,
  },
  {
    id: 'orch-name-template-applied',
    about: 'Templates that parse and cannot be applied: unknown fields, wrong arguments.',
    choice:
      "Found when credentials are asked for: 400 `failed to generate name: unable to apply template: …` with Go's reason; the reference answers 500.",
    evidence: 'decided here',
    where: 'behaviour/secrets#orch-creds',
  },
]
