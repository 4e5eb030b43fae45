import type { MessageInitShape } from "@bufbuild/protobuf";
import { Availability, type ProductSchema } from "../gen/aisle/v1/product_pb.js";
import { DEPARTMENTS, decimalPrice } from "./catalogue/catalogue.js";

/** Everything the demo shop sells; pages and pictures lie below `baseUrl`, with or without a slash at its end. */
export function demoProducts({ baseUrl }: { readonly baseUrl: string }): MessageInitShape<typeof ProductSchema>[] {
  const base = baseUrl.replace(/\/+$/, "");
  return DEPARTMENTS.flatMap((department) =>
    department.categories.flatMap((category) =>
      category.articles.map((article) => ({
        productId: article.id,
        sku: article.sku,
        variantGroupId: article.group,
        title: article.title,
        description: article.description,
        categories: [
          { categoryId: department.id, name: department.name },
          { categoryId: category.id, name: category.name },
        ],
        brand: article.brand,
        price: { amount: decimalPrice(article.cents), currency: "EUR" },
        url: `${base}/demo/p/${article.id}`,
        imageUrl: `${base}/demo/img/${article.id}.svg`,
        availability: article.inStock ? Availability.IN_STOCK : Availability.OUT_OF_STOCK,
        tags: [...article.tags],
        attributes: { ...article.attributes },
      })),
    ),
  );
}
