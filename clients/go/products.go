package aisle

import "aisle.example/client/aislev1"

// Products are the products of an event, named by their ids.
func Products(ids ...string) []*aislev1.EventProduct {
	products := make([]*aislev1.EventProduct, len(ids))
	for i, id := range ids {
		products[i] = &aislev1.EventProduct{ProductId: id}
	}
	return products
}
