/**
 * Which scopes of a token allow which RPC. A token has one scope or more; one of those listed with a method is enough.
 * `admin` allows every method and is not listed. The same table for readers is in docs/security.md, and
 * test/flow/token-scopes.test.ts makes every call with every scope.
 *
 * A new method goes here and into docs/security.md. Until then only `admin` may call it.
 */
import type { DescMethod } from "@bufbuild/protobuf";

export const SCOPES = ["storefront", "read", "personal", "write", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

const STOREFRONT_READ = ["storefront", "read"] as const;
const STOREFRONT_WRITE = ["storefront", "write"] as const;
const STOREFRONT_PERSONAL = ["storefront", "personal"] as const;
const READ = ["read"] as const;
const PERSONAL = ["personal"] as const;
const WRITE = ["write"] as const;
const ADMIN = [] as const;
const ANY = SCOPES;

type MethodScopes = Readonly<Record<string, readonly Scope[]>>;

/** By service and method. */
export const METHOD_SCOPES: Readonly<Record<string, MethodScopes>> = {
  "aisle.v1.AppService": {
    CreateApp: ADMIN,
    GetApp: STOREFRONT_READ,
    ListApps: READ,
    UpdateApp: ADMIN,
    DeleteApp: ADMIN,
    ExportApp: PERSONAL,
    GetFrameConfiguration: READ,
    ListFrameConfigurations: READ,
    SetFrameConfiguration: ADMIN,
    DeleteFrameConfiguration: ADMIN,
    ListFrameVersions: READ,
    GetFrameReport: READ,
    CreateSigningSecret: ADMIN,
    ListSigningSecrets: ADMIN,
    DeleteSigningSecret: ADMIN,
  },
  "aisle.v1.CatalogService": {
    UpsertProducts: WRITE,
    ReplaceCatalog: WRITE,
    SetFeed: WRITE,
    GetFeed: READ,
    ListFeeds: READ,
    DeleteFeed: WRITE,
    RunFeed: WRITE,
    GetProduct: READ,
    BatchGetProducts: READ,
    ListProducts: READ,
    ListUnknownProducts: READ,
    UpdateProduct: WRITE,
    UpdateProducts: WRITE,
    DeleteProduct: WRITE,
    SetProductGroup: WRITE,
    GetProductGroup: READ,
    ListProductGroups: READ,
    DeleteProductGroup: WRITE,
  },
  "aisle.v1.EventService": {
    RecordEvent: STOREFRONT_WRITE,
    RecordEvents: WRITE,
    BatchRecordEvents: WRITE,
    GetEvent: PERSONAL,
    GetOrder: PERSONAL,
    ListEvents: PERSONAL,
    WatchEvents: PERSONAL,
    ListRejectedEvents: PERSONAL,
    ReplayRejectedEvents: WRITE,
  },
  "aisle.v1.HookService": {
    SetHook: ADMIN,
    GetHook: ADMIN,
    DeleteHook: ADMIN,
    ListFailedMessages: ADMIN,
    ResendMessages: ADMIN,
  },
  "aisle.v1.ModelService": {
    TrainModel: ADMIN,
    GetModel: READ,
    ListModels: READ,
    ActivateModel: ADMIN,
    SetModelHold: ADMIN,
    EvaluateModel: READ,
  },
  "aisle.v1.OperationService": {
    GetOperation: READ,
    ListOperations: READ,
    WaitOperation: READ,
    WatchOperation: READ,
    CancelOperation: ADMIN,
  },
  "aisle.v1.PrivacyService": {
    ExportVisitor: PERSONAL,
    EraseVisitor: ADMIN,
    ListErasures: PERSONAL,
  },
  "aisle.v1.RecommendationService": {
    Recommend: STOREFRONT_READ,
    RecommendPage: STOREFRONT_READ,
    BatchRecommend: READ,
    FindProducts: READ,
    RecommendForContacts: PERSONAL,
    // Its reasons reveal what the visitor viewed and bought.
    ExplainRecommendation: PERSONAL,
  },
  "aisle.v1.SubscriptionService": {
    GetStatus: STOREFRONT_PERSONAL,
    SetSubscription: WRITE,
    GetContact: PERSONAL,
    ListContacts: PERSONAL,
    GetVisitor: PERSONAL,
    CreateLink: WRITE,
    GetLink: STOREFRONT_READ,
    FollowLink: STOREFRONT_WRITE,
    ListChanges: PERSONAL,
    WatchSubscriptions: PERSONAL,
    VerifyLedger: PERSONAL,
    ImportContacts: WRITE,
    AddSuppressions: WRITE,
    RemoveSuppressions: WRITE,
    ListSuppressions: PERSONAL,
  },
  "grpc.reflection.v1.ServerReflection": { ServerReflectionInfo: ANY },
  "grpc.reflection.v1alpha.ServerReflection": { ServerReflectionInfo: ANY },
};

/** Load balancers ask for health without a token. */
const OPEN_SERVICE = "grpc.health.v1.Health";

/** The scopes of which one is enough, `admin` among them. Undefined: no token is needed. */
export function scopesFor(method: Pick<DescMethod, "name" | "parent">): readonly Scope[] | undefined {
  const { typeName } = method.parent;
  if (typeName === OPEN_SERVICE) return undefined;
  let known = found.get(method);
  if (known === undefined) {
    known = lookUp(method);
    found.set(method, known);
  }
  return known;
}

/** Every call asks. */
const found = new WeakMap<object, readonly Scope[]>();

function lookUp({ name, parent }: Pick<DescMethod, "name" | "parent">): readonly Scope[] {
  const scopes = METHOD_SCOPES[parent.typeName]?.[name] ?? ADMIN;
  return scopes.includes("admin") ? scopes : [...scopes, "admin"];
}
