import { bool, int, list, map, text, uint } from '../../kernel/shape/kinds.ts'
import { optional, partial, secret, struct } from '../../kernel/shape/members.ts'
import type { ParsedOf } from '../../kernel/shape/values.ts'
import type { QueryInput } from './queries.ts'

const failoverBody = partial(
  struct('QueryFailoverOptions', {
    NearestN: int,
    Datacenters: list(text),
    Targets: list(
      partial(
        struct('QueryFailoverTarget', {
          Peer: text,
          Datacenter: text,
          Namespace: text,
          Partition: text,
        }),
      ),
    ),
  }),
)

export const queryBody = partial(
  struct('PreparedQuery', {
    ID: text,
    Name: text,
    Session: text,
    Token: secret(text),
    Template: partial(
      struct('QueryTemplateOptions', { Type: text, Regexp: text, RemoveEmptyTags: bool }),
    ),
    Service: partial(
      struct('ServiceQuery', {
        Service: text,
        SamenessGroup: text,
        Failover: failoverBody,
        OnlyPassing: bool,
        IgnoreCheckIDs: list(text),
        Near: text,
        Tags: list(text),
        NodeMeta: map(text),
        ServiceMeta: map(text),
        Connect: bool,
        Peer: text,
        Namespace: optional(text),
        Partition: optional(text),
      }),
    ),
    DNS: partial(struct('QueryDNSOptions', { TTL: text })),
    CreateIndex: uint,
    ModifyIndex: uint,
  }),
)

/** Converts a body to a query, with defaults for members that were not sent. */
export function queryInputOf(body: ParsedOf<typeof queryBody>): QueryInput {
  const { Template, DNS } = body
  const service = body.Service ?? {}
  const failover = service.Failover ?? {}
  const targets = failover.Targets?.map((target) => ({
    Peer: target?.Peer ?? '',
    Datacenter: target?.Datacenter ?? '',
  }))
  return {
    name: body.Name ?? '',
    session: body.Session ?? '',
    token: body.Token ?? '',
    template: {
      Type: Template?.Type ?? '',
      Regexp: Template?.Regexp ?? '',
      RemoveEmptyTags: Template?.RemoveEmptyTags ?? false,
    },
    service: {
      Service: service.Service ?? '',
      SamenessGroup: service.SamenessGroup ?? '',
      Failover: {
        NearestN: failover.NearestN ?? 0,
        Datacenters: textsOf(failover.Datacenters),
        Targets: targets ?? null,
      },
      OnlyPassing: service.OnlyPassing ?? false,
      IgnoreCheckIDs: textsOf(service.IgnoreCheckIDs),
      Near: service.Near ?? '',
      Tags: textsOf(service.Tags),
      NodeMeta: textMapOf(service.NodeMeta),
      ServiceMeta: textMapOf(service.ServiceMeta),
      Connect: service.Connect ?? false,
      Peer: service.Peer ?? '',
      ...(service.Namespace && { Namespace: service.Namespace }),
    },
    dns_ttl: DNS?.TTL ?? '',
  }
}

type Texts = readonly (string | null)[] | null | undefined
type TextMap = Readonly<Record<string, string | null>> | null | undefined

const textsOf = (texts: Texts) => texts?.map((each) => each ?? '') ?? null

function textMapOf(values: TextMap): Record<string, string> | null {
  if (values === null || values === undefined) return null
  return Object.fromEntries(Object.entries(values).map(([key, each]) => [key, each ?? '']))
}
