import type { FieldSet } from "../../catalog/feed/columns.js";
import { EVENT_FIELDS, EVENT_FIELDS_WITHOUT_TYPE, type EventField } from "./event-row.js";

/** How the export of a shop system or analytics tool names the fields of events. */
interface EventPreset {
  /** Field by column, in lower case with `_` for blanks. A column named like a field needs no entry. */
  readonly columns: Readonly<Record<string, EventField>>;
  /** Type of all lines; "" when the file has a column for it. */
  readonly type: string;
}

export const PRESET_NAMES = ["shopify", "woocommerce", "magento", "prestashop", "ga4"] as const;

export type PresetName = (typeof PRESET_NAMES)[number];

const PRESETS: Readonly<Record<PresetName, EventPreset>> = {
  // Orders > Export, one line an item; lines after the first leave most of the order out.
  shopify: {
    columns: {
      name: "order_id",
      created_at: "timestamp",
      lineitem_sku: "sku",
      lineitem_quantity: "quantity",
      lineitem_price: "price",
    },
    type: "order",
  },
  // The extension Customer/Order/Coupon Export, "one row per line item". Its item_total is of all pieces, so no price.
  woocommerce: {
    columns: {
      date: "timestamp",
      order_date: "timestamp",
      billing_email: "email",
      customer_email: "email",
      customer_id: "user_id",
      order_currency: "currency",
      item_product_id: "product_id",
      item_sku: "sku",
      item_quantity: "quantity",
    },
    type: "order",
  },
  // Columns of the tables sales_order and sales_order_item.
  magento: {
    columns: {
      increment_id: "order_id",
      created_at: "timestamp",
      customer_email: "email",
      customer_id: "user_id",
      order_currency_code: "currency",
      qty_ordered: "quantity",
      price_incl_tax: "price",
    },
    type: "order",
  },
  // Columns of the tables orders, order_detail, customer and currency.
  prestashop: {
    columns: {
      id_order: "order_id",
      date_add: "timestamp",
      id_customer: "user_id",
      iso_code: "currency",
      product_reference: "sku",
      product_quantity: "quantity",
      unit_price_tax_incl: "price",
    },
    type: "order",
  },
  // The export to BigQuery, one row an item.
  ga4: {
    columns: {
      event_name: "type",
      event_timestamp: "timestamp",
      user_pseudo_id: "visitor",
      item_id: "product_id",
      transaction_id: "order_id",
    },
    type: "",
  },
};

/** The fields of a file of events and the type of lines without one, by preset and `--type`. */
export function eventFields(
  preset: PresetName | undefined,
  type: string,
): { readonly fields: FieldSet<EventField>; readonly type: string } {
  const { columns = {}, type: presetType = "" } = preset === undefined ? {} : PRESETS[preset];
  const defaultType = type || presetType;
  const fields = defaultType === "" ? EVENT_FIELDS : EVENT_FIELDS_WITHOUT_TYPE;
  return { fields: { ...fields, aliases: { ...fields.aliases, ...columns } }, type: defaultType };
}
