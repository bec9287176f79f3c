import type { JsonObject } from '../../../state/kernel/json.ts'
import { createCredentials } from '../../../state/secrets/orch/creds.ts'
import {
  checkPodEnvironment,
  type OrchRole,
  orchConfigs,
  orchRoles,
  writeOrchConfig,
  writeOrchRole,
} from '../../../state/secrets/orch/roles.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { envelopeLease } from '../envelope/lease.ts'
import { dialectDataOutcome } from '../envelope/outcome.ts'
import { envelopeOf } from '../envelope/schemas.ts'
import { refuse } from '../messages.ts'
import { type Engine, operationsOf } from '../operation.ts'
import { roleOperations } from '../role-operations.ts'
import {
  configData,
  configFields,
  credentialsData,
  credentialsFields,
  roleData,
  roleFields,
} from './orch-schemas.ts'

const spec = 'behaviour/secrets#api-orch'
const operation = operationsOf({ spec })
const behaviourSpec = 'behaviour/secrets#orch'

/** The engine that generates credentials for service accounts of an orchestrator. */
export const orchEngine: Engine = {
  type: 'orch',
  hasVendorFields: true,
  operations: [
    operation.read('orchReadConfig', 'config', {
      summary: 'Read the configuration without its credentials.',
      reply: { 200: envelopeOf(configData) },
      run: ({ world, mount }) => {
        const { disable_local_ca_jwt, orch_ca_cert, orch_host } = orchConfigs.read(world, mount)
        return dialectDataOutcome((dialect) =>
          dialect.fields({ disable_local_ca_jwt, orch_ca_cert, orch_host }),
        )
      },
    }),
    operation.write('orchWriteConfig', 'config', {
      summary: 'Configure how to reach the orchestrator; omitted fields keep their values.',
      secrets: { body: ['service_account_jwt'] },
      body: configFields,
      failures: [500],
      apply: ({ world, mount, fields }) => writeOrchConfig(world, mount, fields),
    }),
    operation.delete('orchDeleteConfig', 'config', {
      summary: 'Delete the configuration.',
      apply: ({ world, mount }) => orchConfigs.remove(world, mount),
    }),
    ...roleOperations({
      method: 'orch',
      path: 'roles/:name',
      spec,
      fields: roleFields,
      envelope: envelopeOf(roleData),
      rows: orchRoles,
      view: roleView,
      apply: writeOrchRole,
      writeOverrides: {
        summary: 'Create or change a role; omitted fields keep their values.',
        reply: { 204: null },
      },
      deleteOverrides: { summary: 'Delete a role; its credentials stay valid.' },
    }),
    operation.write('orchCreateCredentials', 'creds/:role', {
      summary: 'Generate credentials as a role describes, with a lease.',
      secrets: { reply: ['data/service_account_token'] },
      body: credentialsFields,
      failures: [500, 502],
      reply: { 200: envelopeOf(credentialsData) },
      run: ({ world, mount, namespace, path, params, fields, token }) => {
        if (token === undefined) throw refuse('token-refused')
        const created = createCredentials(
          world,
          { mount, namespace, path, token },
          {
            role: params.role,
            orchNamespace: fields.orch_namespace ?? '',
            clusterRoleBinding: fields.cluster_role_binding,
            ttl: fields.ttl ?? 0,
            audiences: fields.audiences ?? [],
          },
        )
        return {
          kind: 'envelope',
          lease: envelopeLease(created.lease),
          data: {
            service_account_name: created.account,
            service_account_namespace: created.namespace,
            service_account_token: created.token,
          },
          warnings: created.warnings,
        }
      },
    }),
    operation.read('orchCheckEnvironment', 'check', {
      summary: "Check whether the pod's environment contains the address of the orchestrator.",
      spec: behaviourSpec,
      apply: ({ world }) => checkPodEnvironment(world),
    }),
  ],
}

/**
 * Returns the data of a role. In the vendor dialect, the data also contain members that only newer
 * releases of the vendor return (behaviour/secrets#orch-roles).
 */
function roleView(role: OrchRole, dialect: SecretsDialect): object {
  const { extra_labels, extra_annotations, token_default_audiences } = role
  const more: JsonObject = {
    allowed_orch_namespace_selector: role.allowed_orch_namespace_selector,
    extra_annotations: extra_annotations && { ...extra_annotations },
    extra_labels: extra_labels && { ...extra_labels },
    token_default_audiences: token_default_audiences && [...token_default_audiences],
  }
  return dialect.fields({
    additional_metadata: {
      ...(isFilled(extra_labels) ? { labels: { ...extra_labels } } : {}),
      ...(isFilled(extra_annotations) ? { annotations: { ...extra_annotations } } : {}),
    },
    allowed_orch_namespaces: [...role.allowed_orch_namespaces],
    generated_role_rules: role.generated_role_rules,
    name: role.name,
    name_template: role.name_template,
    orch_role_name: role.orch_role_name,
    orch_role_type: role.orch_role_type,
    service_account_name: role.service_account_name,
    token_default_ttl: role.token_default_ttl,
    token_max_ttl: role.token_max_ttl,
    ...(dialect.usesReferenceBodies ? more : {}),
  })
}

function isFilled(tags: OrchRole['extra_labels']): boolean {
  return tags !== null && Object.keys(tags).length > 0
}
